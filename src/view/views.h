/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every view, in the order in which views are listed.  A new one is a line here: VIEW(NAME)
 * stands for the struct weft_view weft_view_NAME.
 */
#ifndef WEFT_VIEW_VIEWS_H
#define WEFT_VIEW_VIEWS_H

#include "view/view.h"

/* clang-format off */
#define WEFT_EACH_VIEW(VIEW) \
    VIEW(space_time)           \
    VIEW(overview)             \
    VIEW(state_summary)        \
    VIEW(lock_summary)         \
    VIEW(wait_summary)         \
    VIEW(utilization_count)    \
    VIEW(gantt)                \
    VIEW(kiviat)               \
    VIEW(streak)               \
    VIEW(utilization_summary)  \
    VIEW(utilization_meter)    \
    VIEW(concurrency_profile)  \
    VIEW(traffic)              \
    VIEW(message_queues)       \
    VIEW(comm_matrix)          \
    VIEW(comm_meter)           \
    VIEW(node_data)            \
    VIEW(animation)            \
    VIEW(hypercube)            \
    VIEW(network)              \
    VIEW(reduction_tree)       \
    VIEW(tree_levels)          \
    VIEW(tree_nodes)           \
    VIEW(tree_pes)             \
    VIEW(tree_parallelism)     \
    VIEW(tree_compare)         \
    VIEW(dag)                  \
    VIEW(dag_box)              \
    VIEW(dag_timeline)         \
    VIEW(dag_stats)            \
    VIEW(dag_breakdown)        \
    VIEW(dag_speedup)          \
    VIEW(parallelism)          \
    VIEW(dag_tasks)            \
    VIEW(critical_path)        \
    VIEW(dag_steals)           \
    VIEW(dag_compare)          \
    VIEW(array_grid)           \
    VIEW(processor_grid)       \
    VIEW(array_and_processors) \
    VIEW(distribution_map)     \
    VIEW(reference_flow)
/* clang-format on */

#define WEFT_DECLARE_VIEW(name) extern const struct weft_view weft_view_##name;
WEFT_EACH_VIEW(WEFT_DECLARE_VIEW)
#undef WEFT_DECLARE_VIEW

#endif
