/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file's unwinding tables for one address. */
#include "read/recording/sites/unwind.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>

/* DWARF register numbers. */
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16 }; /* of x86-64 */

/* Read where the frame (CFA) begins, as register and offset; false if more complex. */
static bool frame_begins(Dwarf_Frame *rules, struct sites_frame *frame)
{
    Dwarf_Op *operations;
    size_t n;
    unsigned from;

    if (dwarf_frame_cfa(rules, &operations, &n) != 0 || n != 1)
        return false;
    if (operations[0].atom == DW_OP_bregx) {
        from = (unsigned)operations[0].number;
        frame->offset = (int64_t)operations[0].number2;
    } else if (operations[0].atom >= DW_OP_breg0 && operations[0].atom <= DW_OP_breg31) {
        from = operations[0].atom - DW_OP_breg0;
        frame->offset = (int64_t)operations[0].number;
    } else {
        return false;
    }
    frame->by_frame_pointer = from == FRAME_POINTER;
    return from == FRAME_POINTER || from == STACK_POINTER;
}

/* Read at which *offset in the frame a register is saved; returns false if it is not so. */
static bool saved_at(Dwarf_Frame *rules, int number, int64_t *offset)
{
    Dwarf_Op memory[3], *operations;
    size_t n;

    if (dwarf_frame_register(rules, number, memory, &operations, &n) != 0 || n == 0 || n > 2
        || operations[0].atom != DW_OP_call_frame_cfa)
        return false;
    *offset = 0;
    if (n == 2 && operations[1].atom != DW_OP_plus_uconst)
        return false;
    if (n == 2)
        *offset = (int64_t)operations[1].number;
    return true;
}

bool unwind_frame(Dwfl_Module *module, uint64_t address, struct sites_frame *frame)
{
    Dwarf_Addr bias = 0;
    Dwarf_CFI *tables;
    Dwarf_Frame *rules = NULL;
    GElf_Ehdr header;
    GElf_Addr elf_bias;
    bool found;

    if (!gelf_getehdr(dwfl_module_getelf(module, &elf_bias), &header)
        || header.e_machine != EM_X86_64)
        return false;
    tables = dwfl_module_eh_cfi(module, &bias);
    if (!tables)
        tables = dwfl_module_dwarf_cfi(module, &bias);
    if (!tables || dwarf_cfi_addrframe(tables, address + elf_bias - bias, &rules) != 0)
        return false;
    found = frame_begins(rules, frame) && saved_at(rules, RETURN_ADDRESS, &frame->returns);
    frame->saves_frame_pointer = saved_at(rules, FRAME_POINTER, &frame->frame_pointer);
    free(rules);
    return found;
}
