! SPDX-License-Identifier: BSD-3-Clause
! Fortran callers of what mtree serves, by mpif.h, by "use mpi" and by "use mpi_f08": constants, a user's operation,
! datatypes, and requests.  Compiled three times, with INTERFACE_MPIF, INTERFACE_MPI or INTERFACE_F08 set.
#ifdef INTERFACE_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

module sums
#ifdef INTERFACE_F08
    use mpi_f08
#endif
    implicit none
contains
    ! The sum without carry of each decimal digit: it commutes, and is none of MPI's.
    elemental integer function digits(a, b)
        integer, intent(in) :: a, b
        integer :: x, y, place
        digits = 0
        place = 1
        x = a
        y = b
        do while (x > 0 .or. y > 0)
            digits = digits + place * mod(mod(x, 10) + mod(y, 10), 10)
            x = x / 10
            y = y / 10
            place = place * 10
        end do
    end function

    ! Each is told the datatype's handle of its language; with another it would do nothing.
#ifdef INTERFACE_F08
    subroutine sum_digits(invec, inoutvec, len, datatype)
        use, intrinsic :: iso_c_binding
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: in(:), inout(:)
        if (datatype /= MPI_INTEGER) return
        call c_f_pointer(invec, in, [len])
        call c_f_pointer(inoutvec, inout, [len])
        inout = digits(in, inout)
    end subroutine
#else
    subroutine sum_digits(in, inout, len, datatype)
        include 'mpif.h'
        integer :: len, datatype
        integer :: in(len), inout(len)
        if (datatype /= MPI_INTEGER) return
        inout = digits(in, inout)
    end subroutine
#endif
end module

program fortran
    use sums
#if defined(INTERFACE_F08)
    use mpi_f08
    implicit none
#elif defined(INTERFACE_MPI)
    use mpi
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif
    integer, parameter :: n = 5003
    integer :: ierr, rank, ranks, failed = 0, checks = 0, i
    integer, asynchronous :: mine(n), have(n), want(n)
    integer, asynchronous, allocatable :: every(:), counts(:), places(:)

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    allocate (every(n * ranks), counts(ranks), places(ranks))
    call check_constants()
    call check_operation()
    call check_bottom()
    call check_all()
    call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a,i0,a,i0,a)', 'fortran: ', checks, ' checks a rank, ', failed, ' failed'
    call MPI_Finalize(ierr)
    if (failed /= 0) stop 1
contains
    integer function item(r, i)
        integer, intent(in) :: r, i
        item = mod(7919 * (r + 1) + 104729 * i, 1000000)
    end function

    subroutine fill(r, vector)
        integer, intent(in) :: r
        integer, intent(out) :: vector(:)
        integer :: i
        vector = [(item(r, i), i = 1, size(vector))]
    end subroutine

    subroutine expect(ok, what)
        logical, intent(in) :: ok
        character(*), intent(in) :: what
        checks = checks + 1
        if (.not. ok) then
            failed = failed + 1
            print '(a,i0,2a)', 'rank ', rank, ': FAILED: ', what
        end if
    end subroutine

    subroutine sum_of_all(vector)
        integer, intent(out) :: vector(:)
        integer :: r, other(size(vector))
        vector = 0
        do r = 0, ranks - 1
            call fill(r, other)
            vector = vector + other
        end do
    end subroutine

    subroutine check_constants()
        call fill(rank, mine)
        call sum_of_all(want)
        call MPI_Allreduce(mine, have, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call expect(all(have == want), 'allreduce')
        call MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call expect(all(mine == want), 'allreduce in place')
        call fill(rank, mine)
        if (rank == ranks - 1) then
            call MPI_Reduce(MPI_IN_PLACE, mine, n, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD, ierr)
            call expect(all(mine == want), 'reduce in place')
        else
            call MPI_Reduce(mine, have, n, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD, ierr)
        end if
    end subroutine

    subroutine check_operation()
        HANDLE(MPI_Op) :: op
        HANDLE(MPI_Request) :: request
        integer :: r
        call MPI_Op_create(sum_digits, .true., op, ierr)
        call fill(0, want)
        do r = 1, ranks - 1
            call fill(r, have)
            want = digits(want, have)
        end do
        call fill(rank, mine)
        call MPI_Allreduce(mine, have, n, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
        call expect(all(have == want), 'allreduce with an operation of our own')
        have = -1
        call MPI_Iallreduce(mine, have, n, MPI_INTEGER, op, MPI_COMM_WORLD, request, ierr)
        call MPI_Op_free(op, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call expect(all(have == want), 'iallreduce with an operation that is freed')
    end subroutine

    subroutine check_bottom()
        HANDLE(MPI_Datatype) :: type
        integer(MPI_ADDRESS_KIND) :: address(1)
        integer :: lengths(1)
        lengths = n
        call MPI_Get_address(mine, address(1), ierr)
        call MPI_Type_create_hindexed(1, lengths, address, MPI_INTEGER, type, ierr)
        call MPI_Type_commit(type, ierr)
        call fill(0, want)
        mine = -1
        if (rank == 0) mine = want
        call MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, ierr)
        call expect(all(mine == want), 'bcast of an absolute address')
        call fill(rank, mine)
        call MPI_Allgather(MPI_BOTTOM, 1, type, every, n, MPI_INTEGER, MPI_COMM_WORLD, ierr)
        call expect_every('allgather from an absolute address')
        call MPI_Type_free(type, ierr)
    end subroutine

    subroutine expect_every(what)
        character(*), intent(in) :: what
        integer :: r
        do r = 0, ranks - 1
            call fill(r, want)
            call expect(all(every(r * n + 1:(r + 1) * n) == want), what)
        end do
    end subroutine

    subroutine check_all()
        integer :: i
        counts = n
        places = [(n * i, i = 0, ranks - 1)]
        call fill(rank, every(rank * n + 1:(rank + 1) * n))
        call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, every, counts, places, MPI_INTEGER, &
                            MPI_COMM_WORLD, ierr)
        call expect_every('allgatherv in place')
        do i = 0, ranks - 1
            call fill(rank, every(i * n + 1:(i + 1) * n))
        end do
        call sum_of_all(want)
        call MPI_Reduce_scatter(every, have, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call expect(all(have == want), 'reduce_scatter')
        call MPI_Reduce_scatter_block(MPI_IN_PLACE, every, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call expect(all(every(1:n) == want), 'reduce_scatter_block in place')
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end subroutine
end program
