/* SPDX-License-Identifier: Apache-2.0 */
/* The version and the features: macros of the headers against the functions of the library. */
#include <criterion/criterion.h>
#include <lamella/lamella.h>
#include <stdio.h>

Test(version, is_the_same_in_each_of_its_forms) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", LAM_VERSION_MAJOR, LAM_VERSION_MINOR,
             LAM_VERSION_PATCH);
    cr_assert_str_eq(LAM_VERSION_STRING, text);
    cr_assert_str_eq(lam_version(), text);
    cr_assert_eq(LAM_VERSION_NUMBER,
                 (LAM_VERSION_MAJOR * 1000 + LAM_VERSION_MINOR) * 1000 + LAM_VERSION_PATCH);
}

#if LAM_VERSION_NUMBER < 2000
#error "The preprocessor must be able to compare versions"
#endif

Test(version, features_are_the_same_at_run_time_and_in_the_preprocessor) {
    bool json = false, arrow_schema = false, brotli = false, lz4 = false;
#ifdef LAM_HAVE_JSON
    json = true;
#endif
#ifdef LAM_HAVE_ARROW_SCHEMA
    arrow_schema = true;
#endif
#ifdef LAM_HAVE_BROTLI
    brotli = true;
#endif
#ifdef LAM_HAVE_LZ4
    lz4 = true;
#endif
    cr_assert_eq(lam_feature_is_supported(LAM_FEATURE_JSON), json);
    cr_assert_eq(lam_feature_is_supported(LAM_FEATURE_ARROW_SCHEMA), arrow_schema);
    cr_assert_eq(lam_feature_is_supported(LAM_FEATURE_BROTLI), brotli);
    cr_assert_eq(lam_feature_is_supported(LAM_FEATURE_LZ4), lz4);
    cr_assert_eq(lam_codec_is_writable(LAM_CODEC_BROTLI), brotli);
    cr_assert_eq(lam_codec_is_writable(LAM_CODEC_LZ4_RAW), lz4);
}

/* tests/install/left_out.c has a library without them. */
Test(version, tests_are_built_with_every_part_of_the_library) {
    for (int feature = LAM_FEATURE_ARROW; feature <= LAM_FEATURE_GZIP; feature++)
        cr_expect(lam_feature_is_supported((lam_feature)feature), "%d", feature);
}

Test(version, a_feature_that_the_library_does_not_know_is_not_supported) {
    cr_assert_not(lam_feature_is_supported((lam_feature)0));
    cr_assert_not(lam_feature_is_supported((lam_feature)99));
}

Test(version, the_umbrella_includes_json_exactly_where_the_library_has_it) {
#ifdef LAMELLA_JSON_H
    bool included = true;
#else
    bool included = false;
#endif
    cr_assert_eq(included, lam_feature_is_supported(LAM_FEATURE_JSON));
}
