! SPDX-License-Identifier: Apache-2.0
!
! References to arrays, said by Fortran programs: weft_array.h has what each call means.  Compile it
! with the program; nothing is linked.  When no recording runs, a call does nothing.
!
!     use weft_array
!     call weft_array_declare('B', shape(B))
!     call weft_array_trace(time, j, col, j, j, j, j, 0)
!
! Indices count from 1, as Fortran's do when nothing else is said; steps count from 0.  A program
! with hooks at its loads and stores says where its arrays are, instead, and when a step is done:
!
!     real(8), target :: B(4096, 4096)
!     call weft_array_declare('B', shape(B))
!     call weft_array_at(c_loc(B), storage_size(B) / 8)
!     call weft_array_step()
!
module weft_array
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: weft_array_declare, weft_array_use, weft_array_at, weft_array_step
    public :: weft_array_trace, weft_array_reference

    ! The functions of the recorder, which exports them as the object weft_rt_array_v1.
    type, bind(C) :: runtime_table
        integer(c_int32_t) :: version
        type(c_funptr) :: declare, use, at, step, trace, reference
    end type runtime_table

    abstract interface
        function declare_call(name, rank, shape) bind(C) result(number)
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: rank
            integer(c_size_t), intent(in) :: shape(*)
            integer(c_int) :: number
        end function declare_call
        subroutine use_call(number) bind(C)
            import :: c_int
            integer(c_int), value :: number
        end subroutine use_call
        subroutine at_call(address, element_bytes, by_columns) bind(C)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: address
            integer(c_size_t), value :: element_bytes
            integer(c_int), value :: by_columns
        end subroutine at_call
        subroutine step_call() bind(C)
        end subroutine step_call
        subroutine trace_call(time, owner_row, owner_column, first_row, last_row, &
                              first_column, last_column, operation) bind(C)
            import :: c_int
            integer(c_int), value :: time, owner_row, owner_column, first_row, last_row
            integer(c_int), value :: first_column, last_column, operation
        end subroutine trace_call
        subroutine reference_call(time, owner_array, owner, number, first, last, operation) &
            bind(C)
            import :: c_int, c_long, c_size_t
            integer(c_long), value :: time
            integer(c_int), value :: owner_array, number, operation
            integer(c_size_t), intent(in) :: owner(*), first(*), last(*)
        end subroutine reference_call
    end interface

    interface
        function find_symbol(handle, name) bind(C, name='dlsym') result(address)
            import :: c_char, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr) :: address
        end function find_symbol
    end interface

    type(runtime_table), pointer, save :: runtime => null()
    logical, save :: looked_up = .false.

contains

    ! Does a recording run?
    logical function records()
        type(c_ptr) :: address

        if (.not. looked_up) then
            address = find_symbol(c_null_ptr, 'weft_rt_array_v1'//c_null_char)
            if (c_associated(address)) call c_f_pointer(address, runtime)
            looked_up = .true.
        end if
        records = associated(runtime)
    end function records

    ! NUMBER: of the array, for weft_array_use and weft_array_reference; negative: nothing records.
    subroutine weft_array_declare(name, shape, number)
        character(len=*), intent(in) :: name
        integer, intent(in) :: shape(:)
        integer, intent(out), optional :: number
        procedure(declare_call), pointer :: call_it
        integer :: found

        found = -1
        if (records()) then
            call c_f_procpointer(runtime%declare, call_it)
            found = int(call_it(trim(name)//c_null_char, int(size(shape), c_int), &
                                int(shape, c_size_t)))
        end if
        if (present(number)) number = found
    end subroutine weft_array_declare

    subroutine weft_array_use(number)
        integer, intent(in) :: number
        procedure(use_call), pointer :: call_it

        if (.not. records()) return
        call c_f_procpointer(runtime%use, call_it)
        call call_it(int(number, c_int))
    end subroutine weft_array_use

    ! The array that was declared last lies there: its first index is the fastest.
    subroutine weft_array_at(address, element_bytes)
        type(c_ptr), intent(in) :: address
        integer, intent(in) :: element_bytes
        procedure(at_call), pointer :: call_it

        if (.not. records()) return
        call c_f_procpointer(runtime%at, call_it)
        call call_it(address, int(element_bytes, c_size_t), 1_c_int)
    end subroutine weft_array_at

    subroutine weft_array_step()
        procedure(step_call), pointer :: call_it

        if (.not. records()) return
        call c_f_procpointer(runtime%step, call_it)
        call call_it()
    end subroutine weft_array_step

    subroutine weft_array_trace(time, owner_row, owner_column, first_row, last_row, &
                                first_column, last_column, operation)
        integer, intent(in) :: time, owner_row, owner_column, first_row, last_row
        integer, intent(in) :: first_column, last_column, operation
        procedure(trace_call), pointer :: call_it

        if (.not. records()) return
        call c_f_procpointer(runtime%trace, call_it)
        call call_it(int(time, c_int), int(owner_row - 1, c_int), &
                     int(owner_column - 1, c_int), int(first_row - 1, c_int), &
                     int(last_row - 1, c_int), int(first_column - 1, c_int), &
                     int(last_column - 1, c_int), int(operation, c_int))
    end subroutine weft_array_trace

    ! For any number of dimensions, and an owner that is an element of another array.
    subroutine weft_array_reference(time, owner_array, owner, number, first, last, operation)
        integer, intent(in) :: time, owner_array, owner(:), number, first(:), last(:)
        integer, intent(in) :: operation
        procedure(reference_call), pointer :: call_it

        if (.not. records()) return
        call c_f_procpointer(runtime%reference, call_it)
        call call_it(int(time, c_long), int(owner_array, c_int), &
                     int(owner - 1, c_size_t), int(number, c_int), &
                     int(first - 1, c_size_t), int(last - 1, c_size_t), &
                     int(operation, c_int))
    end subroutine weft_array_reference
end module weft_array
