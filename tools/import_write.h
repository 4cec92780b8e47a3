/* SPDX-License-Identifier: Apache-2.0 */
/* Writes inputs of any format to one Parquet file, as the options of import say it. */
#ifndef LAMELLA_TOOLS_IMPORT_WRITE_H
#define LAMELLA_TOOLS_IMPORT_WRITE_H

#include "import_option.h"

/* Inputs that were opened; finds their format. On failure prints why and gives the exit status. */
int import_texts(tool_text *inputs, int count, import_options *options);

#endif
