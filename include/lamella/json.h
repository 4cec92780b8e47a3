#ifndef LAMELLA_JSON_H
#define LAMELLA_JSON_H

#include <lamella/common.h>

#endif
