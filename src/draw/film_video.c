/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Videos by ffmpeg's libraries: H.264, else MPEG-4, in mp4 and mkv; VP9, else VP8, in webm.
 */
#include "draw/film_encoders.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BUFFER = 1 << 16 }; /* bytes between the muxer and the stream */

struct video {
    FILE *stream;
    struct weft_film_shape shape;
    AVFormatContext *muxer;
    AVCodecContext *encoder;
    AVStream *track;
    struct SwsContext *colors;
    AVFrame *frame;
    AVPacket *packet;
    bool begun; /* the head is written */
};

static bool fail(struct weft_err *err, const char *what, int code)
{
    char text[AV_ERROR_MAX_STRING_SIZE] = "";
    av_strerror(code, text, sizeof text);
    return weft_fail(err, WEFT_ERR_WRITE, "ffmpeg's libraries: %s: %s", what, text);
}

static int write_bytes(void *user, uint8_t *bytes, int n)
{
    return fwrite(bytes, 1, (size_t)n, user) == (size_t)n ? n : AVERROR(EIO);
}

static int64_t seek(void *user, int64_t offset, int whence)
{
    if (whence == AVSEEK_SIZE)
        return AVERROR(ENOSYS);
    return fseeko(user, (off_t)offset, whence) ? AVERROR(EIO) : (int64_t)ftello(user);
}

static const AVCodec *find_codec(const char *format)
{
    static const char *const of_webm[] = { "libvpx-vp9", "libvpx" }, *const of_others[] = {
        "libx264", "mpeg4"
    };
    const char *const *names = strcmp(format, "webm") == 0 ? of_webm : of_others;
    const AVCodec *codec = avcodec_find_encoder_by_name(names[0]);
    return codec ? codec : avcodec_find_encoder_by_name(names[1]);
}

/* Sets a quality at which small text is sharp. */
static void set_quality(AVCodecContext *encoder)
{
    if (encoder->codec_id == AV_CODEC_ID_MPEG4) {
        encoder->flags |= AV_CODEC_FLAG_QSCALE;
        encoder->global_quality = FF_QP2LAMBDA * 2;
    }
    /* An encoder that lacks an option takes no notice. */
    av_opt_set(encoder->priv_data, "crf", "18", 0);
    av_opt_set(encoder->priv_data, "preset", "veryfast", 0);
    av_opt_set(encoder->priv_data, "deadline", "realtime", 0);
    av_opt_set(encoder->priv_data, "cpu-used", "6", 0);
}

static bool open_encoder(struct video *v, const char *format, struct weft_err *err)
{
    const AVCodec *codec = find_codec(format);
    if (!codec)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "ffmpeg's libraries here have no encoder for %s", format);
    v->encoder = avcodec_alloc_context3(codec);
    if (!v->encoder)
        return fail(err, codec->name, AVERROR(ENOMEM));
    v->encoder->width = v->shape.width;
    v->encoder->height = v->shape.height;
    v->encoder->time_base = (AVRational){ 1, v->shape.rate };
    v->encoder->framerate = (AVRational){ v->shape.rate, 1 };
    v->encoder->pix_fmt = AV_PIX_FMT_YUV420P;
    v->encoder->colorspace = AVCOL_SPC_SMPTE170M; /* that of libswscale's conversion */
    v->encoder->color_range = AVCOL_RANGE_MPEG;
    v->encoder->gop_size = 2 * v->shape.rate;
    if (v->muxer->oformat->flags & AVFMT_GLOBALHEADER)
        v->encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    set_quality(v->encoder);
    int code = avcodec_open2(v->encoder, codec, NULL);
    return code >= 0 || fail(err, codec->name, code);
}

static bool open_muxer(struct video *v, const char *format, struct weft_err *err)
{
    const char *name = strcmp(format, "mkv") == 0 ? "matroska" : format;
    int code = avformat_alloc_output_context2(&v->muxer, NULL, name, NULL);
    if (code < 0)
        return fail(err, format, code);
    v->muxer->flags |= AVFMT_FLAG_BITEXACT; /* no version and date: the same film again */
    unsigned char *buffer = av_malloc(BUFFER);
    v->muxer->pb =
        buffer ? avio_alloc_context(buffer, BUFFER, 1, v->stream, NULL, write_bytes, seek)
               : NULL;
    if (!v->muxer->pb) {
        av_free(buffer);
        return fail(err, format, AVERROR(ENOMEM));
    }
    return true;
}

static bool open_all(struct video *v, const char *format, struct weft_err *err)
{
    if (!open_muxer(v, format, err) || !open_encoder(v, format, err))
        return false;
    v->track = avformat_new_stream(v->muxer, NULL);
    v->frame = av_frame_alloc();
    v->packet = av_packet_alloc();
    v->colors = sws_getContext(v->shape.width, v->shape.height, AV_PIX_FMT_BGR0,
                               v->shape.width, v->shape.height, AV_PIX_FMT_YUV420P,
                               SWS_BICUBIC | SWS_ACCURATE_RND, NULL, NULL, NULL);
    if (!v->track || !v->frame || !v->packet || !v->colors)
        return fail(err, format, AVERROR(ENOMEM));
    v->track->time_base = v->encoder->time_base;
    v->track->avg_frame_rate = v->encoder->framerate;
    v->frame->format = AV_PIX_FMT_YUV420P;
    v->frame->width = v->shape.width;
    v->frame->height = v->shape.height;
    v->frame->pts = 0;
    int code = avcodec_parameters_from_context(v->track->codecpar, v->encoder);
    code = code < 0 ? code : av_frame_get_buffer(v->frame, 0);
    code = code < 0 ? code : avformat_write_header(v->muxer, NULL);
    v->begun = code >= 0;
    return v->begun || fail(err, format, code);
}

static void close_all(struct video *v)
{
    if (v->muxer && v->muxer->pb) {
        av_freep(&v->muxer->pb->buffer);
        avio_context_free(&v->muxer->pb);
    }
    sws_freeContext(v->colors);
    av_frame_free(&v->frame);
    av_packet_free(&v->packet);
    avcodec_free_context(&v->encoder);
    avformat_free_context(v->muxer);
    free(v);
}

static bool begin(void **state, const char *format, FILE *stream,
                  struct weft_film_shape shape, struct weft_err *err)
{
    struct video *v = weft_zalloc(1, sizeof *v);
    v->stream = stream;
    v->shape = shape;
    *state = v;
    av_log_set_level(AV_LOG_QUIET); /* errors are told by *ERR */
    if (open_all(v, format, err))
        return true;
    close_all(v);
    return false;
}

/* Encodes FRAME, or what is left (NULL), and writes what that gives. */
static bool encode(struct video *v, const AVFrame *frame, struct weft_err *err)
{
    int code = avcodec_send_frame(v->encoder, frame);
    while (code >= 0) {
        code = avcodec_receive_packet(v->encoder, v->packet);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
            return true;
        if (code < 0)
            break;
        av_packet_rescale_ts(v->packet, v->encoder->time_base, v->track->time_base);
        v->packet->stream_index = v->track->index;
        v->packet->duration = av_rescale_q(1, v->encoder->time_base, v->track->time_base);
        code = av_interleaved_write_frame(v->muxer, v->packet);
    }
    return fail(err, "a picture", code);
}

static bool add(void *state, const unsigned char *pixels, size_t stride,
                struct weft_err *err)
{
    struct video *v = state;
    const uint8_t *const planes[] = { pixels, NULL, NULL, NULL };
    const int strides[] = { (int)stride, 0, 0, 0 };
    int code = av_frame_make_writable(v->frame);
    if (code < 0)
        return fail(err, "a picture", code);
    sws_scale(v->colors, planes, strides, 0, v->shape.height, v->frame->data,
              v->frame->linesize);
    bool ok = encode(v, v->frame, err);
    v->frame->pts++;
    return ok;
}

static bool end(void *state, bool whole, struct weft_err *err)
{
    struct video *v = state;
    bool ok = true;
    if (whole && v->begun) {
        int code = 0;
        ok = encode(v, NULL, err);
        code = ok ? av_write_trailer(v->muxer) : 0;
        avio_flush(v->muxer->pb);
        code = code < 0 ? code : v->muxer->pb->error;
        ok = ok && (code >= 0 || fail(err, "the end", code));
    }
    close_all(v);
    return ok;
}

const struct weft_film_encoder weft_film_encoder = { begin, add, end };
