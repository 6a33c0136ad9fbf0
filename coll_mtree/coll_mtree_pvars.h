/*
 * MPI_T's performance variables: this process's totals (coll_mtree_statistics.h), each
 * with a name of its own that begins with coll_mtree_.
 */
#ifndef MCA_COLL_MTREE_PVARS_H
#define MCA_COLL_MTREE_PVARS_H

/* Register them; what fails is not there, as MPI_T tools expect. */
void coll_mtree_pvars_register(void);

#endif
