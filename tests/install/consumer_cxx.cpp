/* SPDX-License-Identifier: Apache-2.0 */
// A program of somebody else, in C++17: turns a schema into text, and writes a file that an
// exception of its own would not leak. Prints the version of the library.
#include <lamella/lamella.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using schema_ptr = std::unique_ptr<lam_schema, decltype(&lam_schema_destroy)>;
using writer_ptr = std::unique_ptr<lam_writer, decltype(&lam_writer_close)>;

void expect(lam_status status, const lam_error &error) {
    if (status != LAM_STATUS_OK)
        throw std::runtime_error(error.message);
}

void write_file(const char *path) {
    constexpr std::string_view text = "message reading { required int64 time; }";
    lam_error error = lam_error_none();
    lam_schema *parsed = nullptr;
    expect(lam_schema_parse(text.data(), text.size(), nullptr, &parsed, &error), error);
    schema_ptr schema(parsed, lam_schema_destroy);
    lam_writer *opened = nullptr;
    expect(lam_writer_open_file(schema.get(), path, nullptr, &opened, &error), error);
    writer_ptr writer(opened, lam_writer_close);
    lam_record_sink sink = lam_writer_sink(writer.get());
    lam_value value = {};
    value.int64 = 1;
    expect(sink.begin(sink.state, &error), error);
    const lam_schema *own = lam_writer_schema(writer.get());
    expect(sink.put(sink.state, lam_schema_leaf(own, 0), value, &error), error);
    expect(sink.end(sink.state, &error), error);
    expect(lam_writer_finish(writer.get(), &error), error);
}

} // namespace

int main() try {
    write_file("consumer.parquet");
    if (std::string(lam_version()) != LAM_VERSION_STRING)
        return 1;
    std::printf("%s\n", lam_version());
    return 0;
} catch (const std::exception &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
