/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/element.h"

#include <complex.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

/* A type of one number: its writer and its comparison. */
#define NUMBER(_name, _c_type)                                                           \
    static void set_##_name(void *element, int first, int second)                        \
    {                                                                                    \
        (void)second;                                                                    \
        *(_c_type *)element = (_c_type)first;                                            \
    }                                                                                    \
    static bool equal_##_name(const void *left, const void *right)                       \
    {                                                                                    \
        return *(const _c_type *)left == *(const _c_type *)right;                        \
    }

#define COMPLEX(_name, _c_type)                                                          \
    static void set_##_name(void *element, int first, int second)                        \
    {                                                                                    \
        *(_c_type *)element = (_c_type)first + (_c_type)second * (_c_type)I;             \
    }                                                                                    \
    static bool equal_##_name(const void *left, const void *right)                       \
    {                                                                                    \
        return *(const _c_type *)left == *(const _c_type *)right;                        \
    }

/* A value and an index, laid out as a C struct: most have padding. */
#define PAIR(_name, _value_type, _index_type)                                            \
    typedef struct {                                                                     \
        _value_type value;                                                               \
        _index_type index;                                                               \
    } _name##_t;                                                                         \
    static void set_##_name(void *element, int first, int second)                        \
    {                                                                                    \
        ((_name##_t *)element)->value = (_value_type)first;                              \
        ((_name##_t *)element)->index = (_index_type)second;                             \
    }                                                                                    \
    static bool equal_##_name(const void *left, const void *right)                       \
    {                                                                                    \
        const _name##_t *a = left, *b = right;                                           \
        return a->value == b->value && a->index == b->index;                             \
    }

NUMBER(char, char)
NUMBER(schar, signed char)
NUMBER(uchar, unsigned char)
NUMBER(short, short)
NUMBER(ushort, unsigned short)
NUMBER(int, int)
NUMBER(unsigned, unsigned)
NUMBER(long, long)
NUMBER(ulong, unsigned long)
NUMBER(llong, long long)
NUMBER(ullong, unsigned long long)
NUMBER(wchar, wchar_t)
NUMBER(float, float)
NUMBER(double, double)
NUMBER(ldouble, long double)
NUMBER(aint, MPI_Aint)
NUMBER(offset, MPI_Offset)
NUMBER(count, MPI_Count)
COMPLEX(cfloat, float complex)
COMPLEX(cdouble, double complex)
COMPLEX(cldouble, long double complex)
PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(int_int, int, int)
PAIR(short_int, short, int)
PAIR(ldouble_int, long double, int)
PAIR(float_float, float, float)
PAIR(double_double, double, double)

/* A truth value holds 0 or 1 only. */
static void set_bool(void *element, int first, int second)
{
    (void)second;
    *(bool *)element = (first % 2) != 0;
}

static bool equal_bool(const void *left, const void *right)
{
    return *(const unsigned char *)left == *(const unsigned char *)right;
}

static void set_logical(void *element, int first, int second)
{
    (void)second;
    *(int *)element = first % 2;
}

#define ROW(_mpi, _c_type, _class, _name)                                                \
    {                                                                                    \
#_mpi, _mpi, sizeof(_c_type), MTREE_CLASS_##_class, set_##_name, equal_##_name   \
    }

static const mtree_element_t elements[] = {
    ROW(MPI_CHAR, char, TEXT, char),
    ROW(MPI_WCHAR, wchar_t, TEXT, wchar),
    ROW(MPI_SIGNED_CHAR, signed char, INTEGER, schar),
    ROW(MPI_UNSIGNED_CHAR, unsigned char, INTEGER, uchar),
    ROW(MPI_SHORT, short, INTEGER, short),
    ROW(MPI_UNSIGNED_SHORT, unsigned short, INTEGER, ushort),
    ROW(MPI_INT, int, INTEGER, int),
    ROW(MPI_UNSIGNED, unsigned, INTEGER, unsigned),
    ROW(MPI_LONG, long, INTEGER, long),
    ROW(MPI_UNSIGNED_LONG, unsigned long, INTEGER, ulong),
    ROW(MPI_LONG_LONG, long long, INTEGER, llong),
    ROW(MPI_UNSIGNED_LONG_LONG, unsigned long long, INTEGER, ullong),
    ROW(MPI_INT8_T, int8_t, INTEGER, schar),
    ROW(MPI_INT16_T, int16_t, INTEGER, short),
    ROW(MPI_INT32_T, int32_t, INTEGER, int),
    ROW(MPI_INT64_T, int64_t, INTEGER, llong),
    ROW(MPI_UINT8_T, uint8_t, INTEGER, uchar),
    ROW(MPI_UINT16_T, uint16_t, INTEGER, ushort),
    ROW(MPI_UINT32_T, uint32_t, INTEGER, unsigned),
    ROW(MPI_UINT64_T, uint64_t, INTEGER, ullong),
    ROW(MPI_AINT, MPI_Aint, MULTI, aint),
    ROW(MPI_OFFSET, MPI_Offset, MULTI, offset),
    ROW(MPI_COUNT, MPI_Count, MULTI, count),
    ROW(MPI_FLOAT, float, FLOATING, float),
    ROW(MPI_DOUBLE, double, FLOATING, double),
    ROW(MPI_LONG_DOUBLE, long double, FLOATING, ldouble),
    ROW(MPI_C_BOOL, bool, LOGICAL, bool),
    ROW(MPI_CXX_BOOL, bool, LOGICAL, bool),
    ROW(MPI_C_FLOAT_COMPLEX, float complex, COMPLEX, cfloat),
    ROW(MPI_C_DOUBLE_COMPLEX, double complex, COMPLEX, cdouble),
    ROW(MPI_C_LONG_DOUBLE_COMPLEX, long double complex, COMPLEX, cldouble),
    ROW(MPI_BYTE, unsigned char, BYTE, uchar),
    ROW(MPI_FLOAT_INT, float_int_t, PAIR, float_int),
    ROW(MPI_DOUBLE_INT, double_int_t, PAIR, double_int),
    ROW(MPI_LONG_INT, long_int_t, PAIR, long_int),
    ROW(MPI_2INT, int_int_t, PAIR, int_int),
    ROW(MPI_SHORT_INT, short_int_t, PAIR, short_int),
    ROW(MPI_LONG_DOUBLE_INT, ldouble_int_t, PAIR, ldouble_int),
};

static const mtree_element_t fortran_elements[] = {
    ROW(MPI_CHARACTER, char, TEXT, char),
    ROW(MPI_INTEGER, int, MULTI, int),
    ROW(MPI_REAL, float, FLOATING, float),
    ROW(MPI_DOUBLE_PRECISION, double, FLOATING, double),
    {"MPI_LOGICAL", MPI_LOGICAL, sizeof(int), MTREE_CLASS_LOGICAL, set_logical,
     equal_int},
    ROW(MPI_COMPLEX, float complex, COMPLEX, cfloat),
    ROW(MPI_DOUBLE_COMPLEX, double complex, COMPLEX, cdouble),
    ROW(MPI_2INTEGER, int_int_t, PAIR, int_int),
    ROW(MPI_2REAL, float_float_t, PAIR, float_float),
    ROW(MPI_2DOUBLE_PRECISION, double_double_t, PAIR, double_double),
};

#define NUMBERS (MTREE_CLASS_INTEGER | MTREE_CLASS_MULTI | MTREE_CLASS_FLOATING)
#define TRUTHS  (MTREE_CLASS_INTEGER | MTREE_CLASS_LOGICAL)
#define BITS    (MTREE_CLASS_INTEGER | MTREE_CLASS_MULTI | MTREE_CLASS_BYTE)

static const mtree_element_op_t ops[] = {
    {"MPI_MAX", MPI_MAX, NUMBERS, false},
    {"MPI_MIN", MPI_MIN, NUMBERS, false},
    {"MPI_SUM", MPI_SUM, NUMBERS | MTREE_CLASS_COMPLEX, false},
    {"MPI_PROD", MPI_PROD, NUMBERS | MTREE_CLASS_COMPLEX, true},
    {"MPI_LAND", MPI_LAND, TRUTHS, false},
    {"MPI_LOR", MPI_LOR, TRUTHS, false},
    {"MPI_LXOR", MPI_LXOR, TRUTHS, false},
    {"MPI_BAND", MPI_BAND, BITS, false},
    {"MPI_BOR", MPI_BOR, BITS, false},
    {"MPI_BXOR", MPI_BXOR, BITS, false},
    {"MPI_MAXLOC", MPI_MAXLOC, MTREE_CLASS_PAIR, false},
    {"MPI_MINLOC", MPI_MINLOC, MTREE_CLASS_PAIR, false},
};

/* An Open MPI that was built without Fortran takes none of its types in a call. */
static bool has_fortran(void)
{
    int size;

    MPI_Type_size(MPI_REAL, &size);
    return size > 0;
}

const mtree_element_t *mtree_element_get(int index)
{
    const int num_c = (int)(sizeof(elements) / sizeof(elements[0]));
    const int num_fortran =
        has_fortran() ? (int)(sizeof(fortran_elements) / sizeof(fortran_elements[0])) : 0;

    if (index < num_c) {
        return &elements[index];
    }
    return index - num_c < num_fortran ? &fortran_elements[index - num_c] : NULL;
}

const mtree_element_op_t *mtree_element_op_get(int index)
{
    int num_ops = (int)(sizeof(ops) / sizeof(ops[0]));

    return (index < num_ops) ? &ops[index] : NULL;
}

static uint32_t mix(uint32_t seed, uint32_t rank, uint32_t position)
{
    uint32_t hash = seed * 2654435761u + rank * 40503u + position * 2246822519u;

    hash ^= hash >> 15;
    hash *= 2654435761u;
    return hash ^ (hash >> 13);
}

void mtree_element_fill(const mtree_element_t *element, const mtree_element_op_t *op,
                        unsigned seed, int rank, void *buffer, int count)
{
    bool product = (op != NULL) && op->product;
    uint32_t hash;
    int i;

    for (i = 0; i < count; i++) {
        hash = mix(seed, (uint32_t)rank, (uint32_t)i);
        if (product) {
            hash = 1 + (hash & 0x101);
        }
        element->set((char *)buffer + (size_t)i * element->size, (int)(hash % 16),
                     (int)((hash >> 8) % 16));
    }
}

void mtree_element_reduce(const mtree_element_t *element, const mtree_element_op_t *op,
                          unsigned seed, int num_ranks, void *result, void *scratch,
                          int count)
{
    int rank;

    mtree_element_fill(element, op, seed, num_ranks - 1, result, count);
    for (rank = num_ranks - 2; rank >= 0; rank--) {
        mtree_element_fill(element, op, seed, rank, scratch, count);
        MPI_Reduce_local(scratch, result, count, element->type, op->op);
    }
}

int mtree_element_mismatch(const mtree_element_t *element, const void *left,
                           const void *right, int count)
{
    size_t place;
    int i;

    for (i = 0; i < count; i++) {
        place = (size_t)i * element->size;
        if (!element->equal((const char *)left + place, (const char *)right + place)) {
            return i;
        }
    }
    return count;
}
