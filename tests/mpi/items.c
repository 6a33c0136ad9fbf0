/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/items.h"

#include <stdint.h>
#include <string.h>

typedef union {
    char c;
    short s;
    int i;
    long long l;
    float f;
    double d;
    long double e;
} number_t;

#define ROW(_type, _members, _class)                                                     \
    {                                                                                    \
#_type, _type, _members, ITEM_CLASS_##_class                                     \
    }

static const item_t kinds[] = {
    ROW(MPI_INT, "i", INTEGER),
    ROW(MPI_BYTE, "c", BYTE),
    ROW(MPI_C_DOUBLE_COMPLEX, "dd", COMPLEX),
    ROW(MPI_DOUBLE, "d", FLOATING),
    ROW(MPI_DOUBLE_INT, "di", PAIR),
    {"mixed items", MPI_DATATYPE_NULL, "cdsi", ITEM_CLASS_NONE},
    {"empty items", MPI_DATATYPE_NULL, "", ITEM_CLASS_NONE},
    ROW(MPI_FLOAT, "f", FLOATING),
    ROW(MPI_CHAR, "c", NONE),
    ROW(MPI_WCHAR, "i", NONE),
    ROW(MPI_SIGNED_CHAR, "c", INTEGER),
    ROW(MPI_UNSIGNED_CHAR, "c", INTEGER),
    ROW(MPI_SHORT, "s", INTEGER),
    ROW(MPI_UNSIGNED_SHORT, "s", INTEGER),
    ROW(MPI_UNSIGNED, "i", INTEGER),
    ROW(MPI_LONG, "l", INTEGER),
    ROW(MPI_UNSIGNED_LONG, "l", INTEGER),
    ROW(MPI_LONG_LONG, "l", INTEGER),
    ROW(MPI_UNSIGNED_LONG_LONG, "l", INTEGER),
    ROW(MPI_INT8_T, "c", INTEGER),
    ROW(MPI_INT16_T, "s", INTEGER),
    ROW(MPI_INT32_T, "i", INTEGER),
    ROW(MPI_INT64_T, "l", INTEGER),
    ROW(MPI_UINT8_T, "c", INTEGER),
    ROW(MPI_UINT16_T, "s", INTEGER),
    ROW(MPI_UINT32_T, "i", INTEGER),
    ROW(MPI_UINT64_T, "l", INTEGER),
    ROW(MPI_AINT, "l", MULTI),
    ROW(MPI_OFFSET, "l", MULTI),
    ROW(MPI_COUNT, "l", MULTI),
    ROW(MPI_LONG_DOUBLE, "e", FLOATING),
    ROW(MPI_C_BOOL, "b", LOGICAL),
    ROW(MPI_CXX_BOOL, "b", LOGICAL),
    ROW(MPI_C_FLOAT_COMPLEX, "ff", COMPLEX),
    ROW(MPI_C_LONG_DOUBLE_COMPLEX, "ee", COMPLEX),
    ROW(MPI_FLOAT_INT, "fi", PAIR),
    ROW(MPI_LONG_INT, "li", PAIR),
    ROW(MPI_2INT, "ii", PAIR),
    ROW(MPI_SHORT_INT, "si", PAIR),
    ROW(MPI_LONG_DOUBLE_INT, "ei", PAIR),
    /* Fortran's. */
    ROW(MPI_CHARACTER, "c", NONE),
    ROW(MPI_INTEGER, "i", MULTI),
    ROW(MPI_REAL, "f", FLOATING),
    ROW(MPI_DOUBLE_PRECISION, "d", FLOATING),
    ROW(MPI_LOGICAL, "t", LOGICAL),
    ROW(MPI_COMPLEX, "ff", COMPLEX),
    ROW(MPI_DOUBLE_COMPLEX, "dd", COMPLEX),
    ROW(MPI_2INTEGER, "ii", PAIR),
    ROW(MPI_2REAL, "ff", PAIR),
    ROW(MPI_2DOUBLE_PRECISION, "dd", PAIR),
};

#define NUM_FORTRAN 10
#define NUM_KINDS   ((int)(sizeof(kinds) / sizeof(kinds[0])))

#define NUMBERS (ITEM_CLASS_INTEGER | ITEM_CLASS_MULTI | ITEM_CLASS_FLOATING)
#define TRUTHS  (ITEM_CLASS_INTEGER | ITEM_CLASS_LOGICAL)
#define BITS    (ITEM_CLASS_INTEGER | ITEM_CLASS_MULTI | ITEM_CLASS_BYTE)

static const item_op_t ops[] = {
    {"MPI_MAX", MPI_MAX, NUMBERS},
    {"MPI_MIN", MPI_MIN, NUMBERS},
    {"MPI_SUM", MPI_SUM, NUMBERS | ITEM_CLASS_COMPLEX},
    {"MPI_PROD", MPI_PROD, NUMBERS | ITEM_CLASS_COMPLEX},
    {"MPI_LAND", MPI_LAND, TRUTHS},
    {"MPI_LOR", MPI_LOR, TRUTHS},
    {"MPI_LXOR", MPI_LXOR, TRUTHS},
    {"MPI_BAND", MPI_BAND, BITS},
    {"MPI_BOR", MPI_BOR, BITS},
    {"MPI_BXOR", MPI_BXOR, BITS},
    {"MPI_MAXLOC", MPI_MAXLOC, ITEM_CLASS_PAIR},
    {"MPI_MINLOC", MPI_MINLOC, ITEM_CLASS_PAIR},
};

/* Letters of types and the members of number_t that have these; b and t are truths. */
#define MEMBERS(_do)                                                                     \
    _do('c', c) _do('b', c) _do('s', s) _do('i', i) _do('t', i) _do('l', l) _do('f', f)  \
        _do('d', d) _do('e', e)

#define MEMBER_TYPE(_member) __typeof__(((number_t *)NULL)->_member)

static size_t member_bytes(char letter)
{
#define BYTES(_letter, _member)                                                          \
    case _letter:                                                                        \
        return sizeof(MEMBER_TYPE(_member));
    switch (letter) {
        MEMBERS(BYTES)
    default:
        return 0;
    }
}

static void member_put(char letter, int value, char *to)
{
    number_t number;

    memset(&number, 0, sizeof(number));
    value = letter == 'b' || letter == 't' ? value % 2 : value;
#define PUT(_letter, _member)                                                            \
    case _letter:                                                                        \
        number._member = (MEMBER_TYPE(_member))value;                                    \
        break;
    switch (letter) {
        MEMBERS(PUT)
    }
    memcpy(to, &number, member_bytes(letter));
}

static void member_add(char letter, const char *in, char *sum)
{
    number_t from, to;

    memcpy(&from, in, member_bytes(letter));
    memcpy(&to, sum, member_bytes(letter));
#define ADD(_letter, _member)                                                            \
    case _letter:                                                                        \
        to._member = (MEMBER_TYPE(_member))(to._member + from._member);                  \
        break;
    switch (letter) {
        MEMBERS(ADD)
    }
    memcpy(sum, &to, member_bytes(letter));
}

const item_t *item_get(int kind)
{
    int size;

    /* An Open MPI that was built without Fortran takes none of its types in a call. */
    MPI_Type_size(MPI_REAL, &size);
    return kind < NUM_KINDS - (size > 0 ? 0 : NUM_FORTRAN) ? &kinds[kind] : NULL;
}

const item_op_t *item_op_get(int number)
{
    return number < (int)(sizeof(ops) / sizeof(ops[0])) ? &ops[number] : NULL;
}

size_t item_bytes(int kind)
{
    size_t bytes = 0;

    for (const char *m = kinds[kind].members; *m != '\0'; m++) {
        bytes += member_bytes(*m);
    }
    return bytes;
}

static unsigned hash(unsigned seed, int rank, size_t i)
{
    uint64_t x = ((uint64_t)seed << 32) + (uint64_t)rank * 1000003u + i;

    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (unsigned)(x >> 33);
}

/* Below which numbers are: so small that no sum over 8 ranks is rounded or overflows, as
 * Open MPI's then do not wrap around.  Bytes and text are not added up. */
static unsigned limit_of(const item_t *item, char member)
{
    return member == 'f'                                        ? 1009
           : member == 's'                                      ? 4001
           : member == 'c' && item->class == ITEM_CLASS_INTEGER ? 16
                                                                : 100003;
}

/* Pairs have few values, and another index on each rank. */
static int draw_value(const item_t *item, int member, MPI_Op op, int rank, unsigned h)
{
    if (op == MPI_PROD) {
        return 1 + (int)((h >> member) % 2);
    }
    if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) {
        return (int)(h % 2);
    }
    if (item->class == ITEM_CLASS_PAIR) {
        return member == 0 ? (int)(h % 5) : (int)(h / 5 % 64) + 64 * rank;
    }
    return (int)((h >> 3 * member) % limit_of(item, item->members[member]));
}

void item_fill(int kind, MPI_Op op, unsigned seed, int rank, size_t from, size_t to,
               char *packed)
{
    const item_t *item = &kinds[kind];

    for (size_t i = from; i < to; i++) {
        unsigned h = hash(seed, rank, i);

        for (int m = 0; item->members[m] != '\0'; m++) {
            member_put(item->members[m], draw_value(item, m, op, rank, h), packed);
            packed += member_bytes(item->members[m]);
        }
    }
}

/* Zeros of both signs are equal, and of a long double some bytes may be padding. */
static bool member_equal(char letter, const char *left, const char *right)
{
    number_t a, b;

    memcpy(&a, left, member_bytes(letter));
    memcpy(&b, right, member_bytes(letter));
#define EQUAL(_letter, _member)                                                          \
    case _letter:                                                                        \
        return a._member == b._member;
    switch (letter) {
        MEMBERS(EQUAL)
    default:
        return false;
    }
}

bool item_equal(int kind, size_t count, const char *left, const char *right)
{
    bool is_equal = true;

    for (size_t i = 0, at = 0; i < count && is_equal; i++) {
        for (const char *m = kinds[kind].members; *m != '\0'; at += member_bytes(*m++)) {
            is_equal = is_equal && member_equal(*m, left + at, right + at);
        }
    }
    return is_equal;
}

void item_add(int kind, size_t bytes, const char *in, char *sum)
{
    for (size_t at = 0; at < bytes;) {
        for (const char *m = kinds[kind].members; *m != '\0'; at += member_bytes(*m++)) {
            member_add(*m, in + at, sum + at);
        }
    }
}
