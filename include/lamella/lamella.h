/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that this build of Lamella offers. Each header can also be included alone. */
#ifndef LAMELLA_LAMELLA_H
#define LAMELLA_LAMELLA_H

#include <lamella/column.h>
#include <lamella/common.h>
#include <lamella/constant.h>
#include <lamella/dataset.h>
#include <lamella/details.h>
#include <lamella/dremel.h>
#include <lamella/features.h>
#include <lamella/filter.h>
#include <lamella/format.h>
#include <lamella/io.h>
#include <lamella/projection.h>
#include <lamella/pruning.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/scan.h>
#include <lamella/schema.h>
#include <lamella/stop.h>
#include <lamella/storage.h>
#include <lamella/variant.h>
#include <lamella/writer.h>

#ifdef LAM_HAVE_ARROW
#include <lamella/arrow.h>
#endif
#ifdef LAM_HAVE_CSV
#include <lamella/csv.h>
#endif
#ifdef LAM_HAVE_FILTER_TEXT
#include <lamella/filter_text.h>
#endif
#ifdef LAM_HAVE_VARIANT_INFERENCE
#include <lamella/variant_inference.h>
#endif
#ifdef LAM_HAVE_CHECK
#include <lamella/check.h>
#endif
#ifdef LAM_HAVE_REWRITE
#include <lamella/rewrite.h>
#endif
#ifdef LAM_HAVE_RECOVER
#include <lamella/recover.h>
#endif
#ifdef LAM_HAVE_SALVAGE
#include <lamella/salvage.h>
#endif
#ifdef LAM_HAVE_BYTE_MAP
#include <lamella/byte_map.h>
#endif
#ifdef LAM_HAVE_LOG
#include <lamella/log.h>
#endif
#if defined(LAM_HAVE_LOG) && defined(LAM_HAVE_ARROW)
#include <lamella/log_arrays.h>
#endif
#ifdef LAM_HAVE_JSON
#include <lamella/json.h>
#include <lamella/table.h>
#endif

#endif
