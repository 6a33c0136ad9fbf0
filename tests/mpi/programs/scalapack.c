/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A system of equations and a matrix product by ScaLAPACK on a 2 x 2 grid.  Prints the
 * solution's digits and the residual.
 */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N     300
#define BLOCK 32

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *process, const int *source,
            const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb,
               const int *row, const int *column, const int *context, const int *lead,
               int *info);
void pdgesv_(const int *n, const int *columns, double *a, const int *ia, const int *ja,
             const int *desca, int *pivots, double *b, const int *ib, const int *jb,
             const int *descb, int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n,
             const int *k, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c,
             const int *ic, const int *jc, const int *descc);
double pdlange_(const char *norm, const int *m, const int *n, const double *a,
                const int *ia, const int *ja, const int *desca, double *work);

static const int zero = 0, one = 1, n = N, block = BLOCK;

static double element(int i, int j)
{
    return sin(1.0 + i * 0.7 + j * 1.3) + (i == j ? 12.0 : 0.0);
}

/* Of a number within a process to that of the whole matrix. */
static int whole(int local, int process, int processes)
{
    return (local / BLOCK * processes + process) * BLOCK + local % BLOCK;
}

int main(int argc, char **argv)
{
    int context, rows, columns, row, column, info, desca[9], descb[9];
    const double plus = 1, minus = -1;

    MPI_Init(&argc, &argv);
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "Row", 2, 2);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);

    int my_rows = numroc_(&n, &block, &row, &zero, &rows);
    int my_columns = numroc_(&n, &block, &column, &zero, &columns);
    int lead = my_rows > 1 ? my_rows : 1;
    size_t size = (size_t)my_rows * (size_t)my_columns + 1;
    double *a = malloc(size * sizeof(double)), *kept = malloc(size * sizeof(double));
    double *x = calloc((size_t)lead, sizeof(double));
    double *b = calloc((size_t)lead, sizeof(double));
    double *work = calloc((size_t)(my_rows + my_columns + 1), sizeof(double));
    int *pivots = malloc((size_t)(my_rows + BLOCK) * sizeof(int));

    descinit_(desca, &n, &n, &block, &block, &zero, &zero, &context, &lead, &info);
    descinit_(descb, &n, &one, &block, &block, &zero, &zero, &context, &lead, &info);
    for (int j = 0; j < my_columns; j++) {
        for (int i = 0; i < my_rows; i++) {
            a[j * my_rows + i] = element(whole(i, row, rows), whole(j, column, columns));
        }
    }
    for (int i = 0; column == 0 && i < my_rows; i++) {
        b[i] = x[i] = cos(whole(i, row, rows));
    }
    memcpy(kept, a, size * sizeof(double));
    pdgesv_(&n, &one, a, &one, &one, desca, pivots, x, &one, &one, descb, &info);
    pdgemm_("N", "N", &n, &one, &n, &plus, kept, &one, &one, desca, x, &one, &one, descb,
            &minus, b, &one, &one, descb);
    double residual = pdlange_("I", &n, &one, b, &one, &one, descb, work);
    double norm = pdlange_("F", &n, &one, x, &one, &one, descb, work);
    double all[N] = {0}, mine[N] = {0};

    for (int i = 0; column == 0 && i < my_rows; i++) {
        mine[whole(i, row, rows)] = x[i];
    }
    MPI_Allreduce(mine, all, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (row == 0 && column == 0) {
        printf("info %d, residual below 1e-12: %s, norm %.12g\n", info,
               residual < 1e-12 ? "yes" : "no", norm);
        for (int i = 0; i < N; i += 37) {
            printf("x[%d] = %.17g\n", i, all[i]);
        }
    }
    Cblacs_gridexit(context);
    free(a);
    free(kept);
    free(x);
    free(b);
    free(work);
    free(pivots);
    MPI_Finalize();
    return 0;
}
