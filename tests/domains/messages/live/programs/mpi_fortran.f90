! SPDX-License-Identifier: Apache-2.0
! Fortran's bindings: messages around a ring, with constants that only Fortran has.
program ring
  use mpi
  implicit none
  integer :: rank, ranks, left, right, ierr, i, half
  integer :: out(64), in(64), requests(2), statuses(MPI_STATUS_SIZE, 2)
  integer :: status(MPI_STATUS_SIZE)
  double precision :: sum

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  out = rank
  do i = 1, 10
    call MPI_Irecv(in, 64, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(out, i, MPI_INTEGER, right, i, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
  end do
  call MPI_Sendrecv(out, 5, MPI_INTEGER, right, 20, in, 64, MPI_INTEGER, left, 20, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (rank == 0 .and. ranks > 1) call MPI_Send(out, 7, MPI_INTEGER, 1, 21, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(in, 64, MPI_INTEGER, 0, 21, MPI_COMM_WORLD, status, ierr)
  sum = rank
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Finalize(ierr)
end program
