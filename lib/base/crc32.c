#include "base/crc32.h"

#include <libdeflate.h>

uint32_t lam_crc32(uint32_t crc, const void *data, size_t size) {
    return size == 0 ? crc : libdeflate_crc32(crc, data, size);
}
