/* Colours of the two themes. Series are those of Okabe and Ito (2008), made darker on white and
 * lighter on black where a thin line would else be too faint. */
#include <math.h>
#include <stdio.h>

#include "figure/part.h"

static const qkv__palette palettes[] = {
    [QKV_THEME_LIGHT] = {"#ffffff",
                         "#1a1a1a",
                         "#5f6368",
                         "#e4e6e8",
                         {"#0072b2", "#d55e00", "#008560", "#b04a88", "#9a6a00", "#3a3a3a"}},
    [QKV_THEME_DARK] = {"#14171c",
                        "#e8eaed",
                        "#a3a9b1",
                        "#2c3138",
                        {"#56b4e9", "#ff8a3d", "#2cc295", "#e79ac8", "#f0e442", "#c8ccd1"}},
};

const qkv__palette *qkv__figure_palette(qkv_theme theme)
{
    return &palettes[theme];
}

const char *qkv__figure_ink(const qkv__palette *palette, qkv_ink ink)
{
    if (ink == QKV_INK_TEXT) return palette->text;
    if (ink == QKV_INK_QUIET) return palette->quiet;
    return palette->series[(unsigned)(ink - QKV_INK_FIRST) % QKV__SERIES];
}

const char *qkv__figure_dash(qkv_dash dash, qkv_ink ink)
{
    static const char *const by_ink[QKV__SERIES] = {"", "8 4", "2 3", "9 3 2 3", "4 2", "1 2"};
    switch (dash) {
    case QKV_DASH_SOLID: return "";
    case QKV_DASH_LONG: return "8 4";
    case QKV_DASH_SHORT: return "4 3";
    case QKV_DASH_DOT: return "2 3";
    case QKV_DASH_BY_INK: break;
    }
    return ink >= QKV_INK_TEXT ? "" : by_ink[(unsigned)(ink - QKV_INK_FIRST) % QKV__SERIES];
}

qkv_marker qkv__figure_marker(qkv_marker marker, qkv_ink ink)
{
    if (marker != QKV_MARKER_BY_INK) return marker;
    if (ink >= QKV_INK_TEXT) return QKV_MARKER_DISC;
    return (qkv_marker)((unsigned)(ink - QKV_INK_FIRST) % QKV__SERIES + QKV_MARKER_DISC);
}

/* ---- Heat -------------------------------------------------------------------------------- */

/* From the background's side to the far one; between them straight lines in sRGB. The lightness
 * goes one way, so that the order is seen in grey as well. */
enum { STOPS = 5 };
static const int stops[2][STOPS][3] = {
    [QKV_THEME_LIGHT] =
        {{247, 249, 251}, {179, 211, 232}, {74, 152, 201}, {12, 91, 156}, {4, 36, 82}},
    [QKV_THEME_DARK] =
        {{28, 32, 40}, {22, 70, 110}, {30, 128, 170}, {122, 196, 196}, {250, 243, 190}},
};

static void heat_mix(qkv_theme theme, int level, int mixed[3])
{
    double at = (double)level / (QKV__HEAT_LEVELS - 1) * (STOPS - 1);
    int stop = at >= STOPS - 1 ? STOPS - 2 : (int)at;
    for (int i = 0; i < 3; i++) {
        int from = stops[theme][stop][i], to = stops[theme][stop + 1][i];
        mixed[i] = (int)lround(from + (at - stop) * (to - from));
    }
}

void qkv__figure_heat_colour(qkv_theme theme, int level, char colour[8], bool *light_text)
{
    int mixed[3];
    heat_mix(theme, level, mixed);
    snprintf(colour, 8, "#%02x%02x%02x", (unsigned)mixed[0] & 0xff, (unsigned)mixed[1] & 0xff,
             (unsigned)mixed[2] & 0xff);
    *light_text = 0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2] < 140;
}

int qkv__figure_heat_level(double value, double low, double high)
{
    if (isnan(value)) return -1;
    double part = (value - low) / (high - low);
    if (!(part > 0)) return 0;
    return part >= 1 ? QKV__HEAT_LEVELS - 1 : (int)lround(part * (QKV__HEAT_LEVELS - 1));
}
