/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that every scene must pass, whatever it shows. */
#ifndef WEFT_TESTS_SWEEP_SCENE_CHECK_H
#define WEFT_TESTS_SWEEP_SCENE_CHECK_H

#include "view/scene.h"

/*
 * NULL when all is well, else what is wrong in WHAT[SIZE]: a number that is not finite, a mark
 * beyond its layer, a layer or a text beyond the picture, a raster without its pixels.
 */
const char *scene_fault(const struct weft_scene *scene, char *what, size_t size);

#endif
