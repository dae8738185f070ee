/* SPDX-License-Identifier: Apache-2.0 */
/*
 * film_facts FILE: prints how many pictures a film has, their width and height, how many of
 * them differ from the one before, and how many milliseconds it takes; decoded by ffmpeg's
 * libraries, or for FILE.webp by libwebp.
 */
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webp/demux.h>

struct facts {
    int n, width, height, differing;
    double milliseconds;
    unsigned char *last; /* the picture before */
};

static void count(struct facts *facts, const unsigned char *rows, size_t stride,
                  size_t size, int width, int height)
{
    unsigned char *copy = malloc(size * (size_t)height);
    for (int y = 0; y < height; y++)
        memcpy(copy + size * (size_t)y, rows + stride * (size_t)y, size);
    facts->differing += facts->n && memcmp(copy, facts->last, size * (size_t)height) != 0;
    free(facts->last);
    facts->last = copy;
    facts->n++;
    facts->width = width;
    facts->height = height;
}

static int fail(const char *what)
{
    fprintf(stderr, "film_facts: %s\n", what);
    return 0;
}

static int read_webp(struct facts *facts, const char *path)
{
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[64 << 20];
    WebPData data = { bytes, file ? fread(bytes, 1, sizeof bytes, file) : 0 };
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
    WebPAnimInfo info;
    uint8_t *pixels;
    int time = 0;
    if (file)
        fclose(file);
    if (!decoder || !WebPAnimDecoderGetInfo(decoder, &info))
        return fail("no WebP");
    while (WebPAnimDecoderHasMoreFrames(decoder)) {
        if (!WebPAnimDecoderGetNext(decoder, &pixels, &time))
            return fail("a picture cannot be decoded");
        size_t stride = 4 * (size_t)info.canvas_width;
        count(facts, pixels, stride, stride, (int)info.canvas_width,
              (int)info.canvas_height);
    }
    facts->milliseconds = time;
    WebPAnimDecoderDelete(decoder);
    return 1;
}

static void take_frames(struct facts *facts, AVCodecContext *decoder, AVFrame *frame)
{
    while (avcodec_receive_frame(decoder, frame) >= 0)
        count(facts, frame->data[0], (size_t)frame->linesize[0], (size_t)frame->width,
              frame->width, frame->height);
}

static int read_video(struct facts *facts, const char *path)
{
    AVFormatContext *file = NULL;
    if (avformat_open_input(&file, path, NULL, NULL) < 0
        || avformat_find_stream_info(file, NULL) < 0 || file->nb_streams != 1)
        return fail("no video");
    const AVCodecParameters *parameters = file->streams[0]->codecpar;
    const AVCodec *codec = avcodec_find_decoder(parameters->codec_id);
    AVCodecContext *decoder = avcodec_alloc_context3(codec);
    AVFrame *frame = av_frame_alloc();
    AVPacket *packet = av_packet_alloc();
    if (avcodec_parameters_to_context(decoder, parameters) < 0
        || avcodec_open2(decoder, codec, NULL) < 0)
        return fail("no decoder");
    while (av_read_frame(file, packet) >= 0) {
        avcodec_send_packet(decoder, packet);
        take_frames(facts, decoder, frame);
        av_packet_unref(packet);
    }
    avcodec_send_packet(decoder, NULL);
    take_frames(facts, decoder, frame);
    facts->milliseconds = (double)file->duration / 1000;
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&decoder);
    avformat_close_input(&file);
    return 1;
}

int main(int argc, char **argv)
{
    struct facts facts = { 0 };
    const char *path = argc > 1 ? argv[1] : "";
    size_t n = strlen(path);
    av_log_set_level(AV_LOG_QUIET);
    if (!(n > 5 && strcmp(path + n - 5, ".webp") == 0 ? read_webp(&facts, path)
                                                      : read_video(&facts, path)))
        return 1;
    printf("%d %dx%d %d %.0f\n", facts.n, facts.width, facts.height, facts.differing,
           facts.milliseconds);
    free(facts.last);
    return 0;
}
