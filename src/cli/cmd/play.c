/* SPDX-License-Identifier: Apache-2.0 */
/* weft play: a view as a film, picture after picture, each of a later moment. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/displays_option.h"
#include "cli/open_traces.h"
#include "cli/picture_options.h"
#include "cli/unknown_view.h"
#include "draw/film.h"
#include "store/time.h"
#include "view/damage.h"
#include "view/prepare.h"

enum {
    USUAL_SECONDS = 10,
    USUAL_RATE = 25, /* pictures in a second */
    MOST_SECONDS = 24 * 60 * 60,
    MOST_RATE = 240,
    MOST_PICTURES = 200000,
};

struct play {
    const struct weft_arguments *arguments;
    struct ask ask;
    struct picture_options options;
    struct weft_own_displays displays;
    struct weft_shelf *shelf; /* what the pictures have in common */
    const struct weft_view *view;
    const char *output, *format;
    struct weft_film_shape shape;
    int n; /* pictures */
};

/* Sets *NUMBER by the option NAME, from above 0 to MOST. */
static bool parse_number(const struct play *play, const char *name, double most,
                         double *number, struct weft_err *err)
{
    const char *text = weft_option_value(play->arguments, name);
    char *end;
    if (!text)
        return true;
    *number = strtod(text, &end);
    /* NAN is in no range. */
    if (end != text && !*end && *number > 0 && *number <= most)
        return true;
    return weft_fail(err, WEFT_ERR_USAGE, "bad --%s '%s' (right: above 0, at most %g)",
                     name, text, most);
}

static bool parse_lengths(struct play *play, struct weft_err *err)
{
    double seconds = USUAL_SECONDS, rate = USUAL_RATE;
    if (!parse_number(play, "duration", MOST_SECONDS, &seconds, err)
        || !parse_number(play, "fps", MOST_RATE, &rate, err))
        return false;
    if (rate != floor(rate))
        return weft_fail(err, WEFT_ERR_USAGE, "bad --fps '%s' (right: a whole number)",
                         weft_option_value(play->arguments, "fps"));
    double n = fmax(1, round(seconds * rate));
    if (n > MOST_PICTURES)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "a film has at most %d pictures, and this would have %.0f",
                         MOST_PICTURES, n);
    play->shape.rate = (int)rate;
    play->n = (int)n;
    return true;
}

static bool parse_output(struct play *play, struct weft_err *err)
{
    play->output = weft_option_value(play->arguments, "output");
    if (!play->output || strcmp(play->output, "-") == 0)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "play needs a file (right: -o FILE.mp4, .mkv, .webm or .webp)");
    const char *dot = strrchr(play->output, '.'), *slash = strrchr(play->output, '/');
    play->format = dot && (!slash || dot > slash) ? dot + 1 : "";
    return true;
}

static bool parse_shape(struct play *play, struct weft_err *err)
{
    const struct weft_request *request = &play->ask.request;
    if (!picture_looks(play->arguments, &play->ask.request, err))
        return false;
    if (request->width != floor(request->width)
        || request->height != floor(request->height))
        return weft_fail(err, WEFT_ERR_USAGE, "bad size %gx%g: a film has whole pixels",
                         request->width, request->height);
    play->shape.width = (int)request->width;
    play->shape.height = (int)request->height;
    return true;
}

/* Fails if nothing of the view moves with time, or it cannot be of this trace. */
static bool suits(struct play *play, struct weft_err *err)
{
    const struct weft_view *view = play->view = weft_view_for(play->view, &play->ask.set);
    if (!view->fills(&play->ask.set))
        return weft_fail(err, WEFT_ERR_FORMAT, "this trace cannot fill %s (it needs %s)%s",
                         view->name, view->needs, weft_damage_hint(&play->ask.set));
    if (view->moment == WEFT_MOMENT_NONE)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "%s has no moment, so nothing of it moves (weft views lists those "
                         "with --at)",
                         view->name);
    if (view->of_all && weft_option_given(play->arguments, "under"))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "%s is of the whole trace, so --under says nothing", view->name);
    return true;
}

/* Returns the moment of picture I: the first is the range's begin, the last its end. */
static int64_t moment_of(const struct play *play, int i)
{
    struct weft_span range = play->ask.request.window,
                     span = play->ask.set.sources[0]->schema->span;
    int64_t begin = range.begin > span.begin ? range.begin : span.begin,
            end = range.end < span.end ? range.end : span.end;
    if (end <= begin || play->n == 1)
        return begin;
    double part = (double)i / (play->n - 1);
    return i == play->n - 1
               ? end
               : weft_time_clamp(begin + (int64_t)((double)(end - begin) * part));
}

static bool draw_all(struct play *play, struct weft_film *film, const char *const *settings,
                     struct weft_err *err)
{
    struct weft_request request = play->ask.request;
    struct weft_arena arena = { 0 };
    bool ok = true;
    request.shelf = play->shelf;
    request.settings = settings;
    request.has_at = true;
    for (int i = 0; ok && i < play->n; i++) {
        struct weft_scene scene;
        request.at = moment_of(play, i);
        if (play->view->of_run)
            request.window = play->ask.set.sources[0]->schema->span;
        ok = weft_view_draw(play->view, &request, &arena, &scene, err)
             && weft_film_add(film, &scene, request.job, err)
             && weft_job_step(request.job, (uint64_t)i + 1, (uint64_t)play->n, err);
        weft_arena_reset(&arena);
    }
    weft_arena_free(&arena);
    return ok;
}

static bool keeps_inputs(const struct play *play, struct weft_err *err)
{
    return ask_keeps_trace(play->arguments->positional[1], play->output, err)
           && picture_keeps_files(&play->options, play->output, err);
}

static bool write_film(struct play *play, const char *const *settings, struct weft_err *err)
{
    struct weft_output out;
    if (!keeps_inputs(play, err) || !weft_output_open(&out, play->output, err))
        return false;
    if (weft_output_is_direct(&out)) {
        weft_output_abandon(&out);
        return weft_fail(err, WEFT_ERR_USAGE,
                         "%s is no file: a film must be able to go back in it",
                         play->output);
    }
    ask_writes(&out);
    struct weft_film *film = weft_film_begin(play->format, out.stream, play->shape, err);
    bool ok = film && draw_all(play, film, settings, err);
    struct weft_err ignored;
    if (film)
        ok = weft_film_end(film, ok, ok ? err : &ignored) && ok;
    ok = ask_written(&out, ok, err);
    ok = ok && weft_job_step(play->ask.job, 0, 0, err);
    if (ask_all_intact(&play->ask, ok, err))
        return weft_output_commit(&out, err);
    weft_output_abandon(&out);
    return false;
}

static bool play_view(struct play *play, struct weft_err *err)
{
    const char **settings = weft_zalloc(play->view->n_parameters + 1, sizeof *settings);
    bool ok = picture_settings(&play->options, play->view, true, settings, err)
              && write_film(play, settings, err);
    free(settings);
    return ok;
}

static int report_unknown_view(const struct play *play, const char *name)
{
    char *text = unknown_view(&play->displays.views, name);
    int status = weft_usage(play->arguments->command, "%s", text);
    free(text);
    return status;
}

static int run(const struct weft_arguments *arguments)
{
    struct play play = { .arguments = arguments, .options.arguments = arguments };
    struct weft_err err = { 0 };
    const char *name = arguments->positional[0];
    const char *const *paths = (const char *const *)&arguments->positional[1];
    bool loaded = load_displays(arguments, !weft_view_find(name), &play.displays, &err);
    play.view = loaded ? weft_views_find(&play.displays.views, name) : NULL;
    if (!play.view || !parse_output(&play, &err) || !parse_lengths(&play, &err)
        || !ask_begin(&play.ask, arguments, paths[0], &err)) {
        int status =
            loaded && !play.view ? report_unknown_view(&play, name) : weft_report(&err);
        weft_own_displays_free(&play.displays);
        return status;
    }
    play.shelf = weft_shelf_new();
    bool ok = parse_shape(&play, &err) && suits(&play, &err) && play_view(&play, &err)
              && ask_all_whole(&play.ask, paths, &err)
              && ask_tell_all_problems(&play.ask, paths, &err);
    if (!ok)
        picture_name_file(&play.options, &err);
    ask_leave(&play.ask);
    weft_shelf_free(play.shelf);
    weft_own_displays_free(&play.displays);
    weft_arena_free(&play.options.texts);
    ask_end(&play.ask);
    return ok ? 0 : weft_report(&err);
}

static const struct weft_option options[] = {
    ASK_OPTIONS,
    { "output", 'o', "FILE", false,
      "where to write; its ending, mp4, mkv, webm or webp, chooses the format" },
    { "duration", 0, "S", false, "how many seconds the film takes (10)" },
    { "fps", 0, "N", false, "how many pictures a second has (25)" },
    PICTURE_OPTIONS,
    DISPLAYS_OPTION,
};

const struct weft_command weft_command_play = {
    .name = "play",
    .arguments = "VIEW TRACE",
    .summary = "draw a view as a film",
    .description =
        "Draws a view again and again, each picture of a later moment, from the begin of the "
        "range to its end: timelines have a line there, the other views are of that moment "
        "(weft views lists with --at those that have one). The film is a video (mp4, mkv, "
        "webm), whose width and height are even, or an animated WebP (webp). Weft needs "
        "ffmpeg's libraries for the former, and libwebp for the latter, when it is built.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 2,
    .max_positional = 2,
    .run = run,
};
