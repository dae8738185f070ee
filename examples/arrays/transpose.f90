! SPDX-License-Identifier: Apache-2.0
!
! A matrix and its transpose.  With hooks it says where its arrays are; "transpose said" says each
! reference itself, and needs none; both count the same.
!
!     gfortran -O1 -g -c weft_array.f90
!     gfortran -O1 -g -fsanitize=thread -c transpose.f90
!     gfortran weft_array.o transpose.o -lweft-array -o transpose
!     weft record --with arrays -o transpose.weft -- ./transpose
!
program transpose_example
    use, intrinsic :: iso_c_binding, only: c_loc
    use weft_array
    implicit none
    integer, parameter :: rows = 4, columns = 6
    real(8), target :: a(rows, columns), b(columns, rows)
    integer :: number_of_a, number_of_b, i, j, step
    logical :: said

    said = command_argument_count() > 0
    do j = 1, columns
        do i = 1, rows
            a(i, j) = 10*i + j
        end do
    end do
    call weft_array_declare('a', shape(a), number_of_a)
    if (.not. said) call weft_array_at(c_loc(a), storage_size(a)/8)
    call weft_array_declare('b', shape(b), number_of_b)
    if (.not. said) call weft_array_at(c_loc(b), storage_size(b)/8)
    do step = 0, 1
        call turn()
        if (said) then
            do j = 1, columns
                do i = 1, rows
                    call weft_array_reference(step, number_of_b, [j, i], number_of_a, [i, j], &
                                              [i, j], 0)
                    call weft_array_reference(step, number_of_b, [j, i], number_of_b, [j, i], &
                                              [j, i], 1)
                end do
            end do
        else
            call weft_array_step()
        end if
    end do
    print '(f6.1)', b(columns, rows)

contains

    subroutine turn()
        integer :: row, column

        do column = 1, columns
            do row = 1, rows
                b(column, row) = a(row, column)
            end do
        end do
    end subroutine turn
end program transpose_example
