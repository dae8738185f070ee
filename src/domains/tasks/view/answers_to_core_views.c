/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of the views of tasks for views of any trace (view/domain_answers.h). */
#include "view/domain_answers.h"

#include "domains/tasks/view/dag_facts.h"

/* General views get no place in a trace with tasks: the views of tasks show where the
   workers' time went, and their lanes.  A run with regions alone has its usual views. */
static enum weft_place place(const struct weft_source *source, enum weft_about about,
                             enum weft_place own)
{
    (void)about;
    return weft_dag_has_tasks(source) ? WEFT_PLACE_NONE : own;
}

extern const struct weft_answers weft_answers_tasks;
const struct weft_answers weft_answers_tasks = {
    .place = place,
    .remark = weft_dag_contracted_remark,
    .detail = weft_dag_tell_node,
    .more_of_state = weft_dag_tell_state,
};
