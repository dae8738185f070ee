! SPDX-License-Identifier: Apache-2.0
! Rank 1 waits for a message at one line, and each rank at one of two broadcasts.
program places
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
  integer :: rank, error
  real(8) :: a(10), b(10)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  a = rank
  if (rank == 0) then
    call MPI_Send(a, 10, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, error)
    call MPI_Bcast(a, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  else
    b = 1
    call MPI_Recv(a, 10, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Bcast(b, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end if
  call MPI_Finalize(error)
end program places
