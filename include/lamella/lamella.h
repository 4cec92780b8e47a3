/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that this build of Lamella offers. Each header can also be included alone. */
#ifndef LAMELLA_LAMELLA_H
#define LAMELLA_LAMELLA_H

#include <lamella/arrow.h>
#include <lamella/byte_map.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/common.h>
#include <lamella/constant.h>
#include <lamella/csv.h>
#include <lamella/dataset.h>
#include <lamella/details.h>
#include <lamella/dremel.h>
#include <lamella/features.h>
#include <lamella/filter.h>
#include <lamella/filter_text.h>
#include <lamella/format.h>
#include <lamella/io.h>
#include <lamella/log.h>
#include <lamella/log_arrays.h>
#include <lamella/projection.h>
#include <lamella/pruning.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/recover.h>
#include <lamella/rewrite.h>
#include <lamella/salvage.h>
#include <lamella/scan.h>
#include <lamella/schema.h>
#include <lamella/stop.h>
#include <lamella/storage.h>
#include <lamella/variant.h>
#include <lamella/variant_inference.h>
#include <lamella/writer.h>

#ifdef LAM_HAVE_JSON
#include <lamella/json.h>
#include <lamella/table.h>
#endif

#endif
