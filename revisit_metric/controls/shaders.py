"""GLSL of the reference renderer.

Conventions: world and camera frames are OpenCV (y down). Clip space keeps y down as well, so that row 0 of a
read frame is the top row. Lighting is linear; colours are squared on the way in and square-rooted on the way
out (gamma 2), which llvmpipe does much faster than a true sRGB curve.
"""

from __future__ import annotations

_ROWS = """
uniform mat4 u_clip;
uniform sampler2D u_rows;
in vec3 in_position; in vec3 in_normal; in vec2 in_uv; in uint in_row;
vec4 cell(int column) { return texelFetch(u_rows, ivec2(column, int(in_row)), 0); }
vec3 turn(vec3 p, vec4 a) { return vec3(a.x * p.x + a.y * p.z, p.y, a.x * p.z - a.y * p.x); }
vec3 place(vec4 a, vec4 b) { return turn(in_position, a) * a.z + b.xyz; }
"""

COLOUR_VERTEX = (
    "#version 330\n"
    + _ROWS
    + """
out vec3 v_position; out vec3 v_normal; out vec3 v_uv; flat out vec4 v_tint; flat out float v_emit;
void main() {
    vec4 a = cell(0), b = cell(1);
    v_tint = cell(2);
    v_emit = cell(3).x;
    v_position = place(a, b);
    v_normal = turn(in_normal, a);
    v_uv = vec3(in_uv * b.w, a.w);
    gl_Position = u_clip * vec4(v_position, 1.0);
}
"""
)

COLOUR_FRAGMENT = """#version 330
//CUTOUT
uniform sampler2DArray u_textures;
uniform sampler2DShadow u_shadow;
uniform sampler3D u_occupied;
uniform mat4 u_sun_clip;
uniform vec3 u_eye, u_to_sun, u_sun, u_sky_ambient, u_ground_ambient, u_fog;
uniform vec3 u_box_low, u_box_scale;
uniform float u_fog_per_m, u_shadow_texel;
uniform int u_lamps;
uniform vec4 u_lamp_place[8];
uniform vec3 u_lamp_colour[8];
in vec3 v_position; in vec3 v_normal; in vec3 v_uv; flat in vec4 v_tint; flat in float v_emit;
out vec4 f_colour;

float sunlit(vec3 n, float facing) {
    vec3 off = v_position + n * (1.2 + 1.5 * (1.0 - facing)) * u_shadow_texel;
    vec3 s = (u_sun_clip * vec4(off, 1.0)).xyz * 0.5 + 0.5;
    if (any(greaterThan(abs(s - 0.5), vec3(0.499)))) return 1.0;
    vec2 t = vec2(0.9 / 2048.0);
#ifdef CUTOUT
    return texture(u_shadow, s);
#endif
    return 0.25 * (texture(u_shadow, vec3(s.xy + t * vec2(0.4, 1.0), s.z))
                 + texture(u_shadow, vec3(s.xy + t * vec2(-1.0, 0.4), s.z))
                 + texture(u_shadow, vec3(s.xy + t * vec2(-0.4, -1.0), s.z))
                 + texture(u_shadow, vec3(s.xy + t * vec2(1.0, -0.4), s.z)));
}

// Occupancy a little way off the surface; the surface itself always fills `own` of it.
float openness(vec3 n) {
    float near = textureLod(u_occupied, (v_position + n * 0.22 - u_box_low) * u_box_scale, 0.0).r;
    float wide = textureLod(u_occupied, (v_position + n * 0.75 - u_box_low) * u_box_scale, 0.0).g;
    return clamp(1.0 - 1.5 * max(near - 0.2, 0.0) - 1.7 * max(wide - 0.1, 0.0), 0.22, 1.0);
}

void main() {
    vec4 texel = texture(u_textures, v_uv);
#ifdef CUTOUT
    if (texel.a < 0.4) discard;
    float gloss = 0.0;
#else
    float gloss = texel.a * v_tint.a;
#endif
    vec3 albedo = texel.rgb * texel.rgb * v_tint.rgb;
    vec3 n = normalize(v_normal);
    vec3 away = v_position - u_eye;
    float range = length(away);
    away /= range;
    float facing = dot(n, u_to_sun);
#ifdef CUTOUT
    // Leaves let light through.
    float lit = 0.35 + 0.65 * max(0.5 + 0.5 * facing, 0.0);
    lit *= lit;
#else
    float lit = max(facing, 0.0);
#endif
    float sun = lit > 0.0 ? lit * sunlit(n, max(facing, 0.0)) : 0.0;
    float open = openness(n);
    vec3 ambient = mix(u_ground_ambient, u_sky_ambient, 0.5 - 0.5 * n.y) * open;
    vec3 light = ambient + u_sun * sun;
    for (int i = 0; i < u_lamps; ++i) {
        vec3 d = u_lamp_place[i].xyz - v_position;
        float square = dot(d, d);
        float fade = max(1.0 - square * u_lamp_place[i].w, 0.0);
        float wrap = max(dot(n, d) * inversesqrt(square) * 0.8 + 0.2, 0.0);
        light += u_lamp_colour[i] * (wrap * fade * fade / (0.6 + square)) * (0.3 + 0.7 * open);
    }
    vec3 colour = albedo * (light + v_emit);
#ifndef CUTOUT
    vec3 mirror = reflect(away, n);
    float grazing = 1.0 - max(-dot(away, n), 0.0);
    float fresnel = grazing * grazing; fresnel *= fresnel * grazing;
    vec3 around = mix(u_ground_ambient, u_sky_ambient * 1.25, smoothstep(-0.3, 0.45, -mirror.y)) * open;
    colour = mix(colour, around, gloss * (0.1 + 0.75 * fresnel));
    float glint = max(dot(mirror, u_to_sun), 0.0);
    glint *= glint; glint *= glint; glint *= glint; glint *= glint * glint;
    colour += u_sun * (sun * glint * gloss * 0.7);
#endif
    colour = mix(colour, u_fog, 1.0 - exp(-range * u_fog_per_m));
    colour = colour * (2.51 * colour + 0.03) / (colour * (2.43 * colour + 0.59) + 0.14);
    f_colour = vec4(sqrt(clamp(colour, 0.0, 1.0)), 1.0);
}
"""

PROBE_VERTEX = (
    "#version 330\n"
    + _ROWS
    + """
out vec3 v_uv; flat out float v_instance; out float v_depth;
void main() {
    vec4 a = cell(0), b = cell(1);
    v_instance = cell(3).y;
    v_uv = vec3(in_uv * b.w, a.w);
    gl_Position = u_clip * vec4(place(a, b), 1.0);
    v_depth = gl_Position.w;
}
"""
)

PROBE_FRAGMENT = """#version 330
//CUTOUT
uniform sampler2DArray u_textures;
in vec3 v_uv; flat in float v_instance; in float v_depth;
out vec2 f_probe;
void main() {
#ifdef CUTOUT
    if (texture(u_textures, v_uv).a < 0.4) discard;
#endif
    f_probe = vec2(v_instance, v_depth);
}
"""

SHADOW_FRAGMENT = """#version 330
//CUTOUT
uniform sampler2DArray u_textures;
in vec3 v_uv;
void main() {
#ifdef CUTOUT
    if (texture(u_textures, v_uv).a < 0.4) discard;
#endif
}
"""

SCREEN_VERTEX = """#version 330
in vec2 in_corner;
out vec2 v_corner;
void main() { v_corner = in_corner; gl_Position = vec4(in_corner, 1.0, 1.0); }
"""

SKY_FRAGMENT = """#version 330
uniform mat3 u_to_world;
uniform vec2 u_reach;
uniform vec3 u_to_sun, u_sun, u_zenith, u_horizon;
uniform float u_clouds;
uniform sampler2D u_cloud;
in vec2 v_corner;
out vec4 f_colour;
void main() {
    vec3 d = normalize(u_to_world * vec3(v_corner * u_reach, 1.0));
    float up = max(-d.y, 0.0);
    vec3 colour = mix(u_horizon, u_zenith, 1.0 - exp(-3.2 * up));
    float halo = max(dot(d, u_to_sun), 0.0);
    colour += u_sun * (0.05 * pow(halo, 8.0) + 0.5 * pow(halo, 600.0));
    vec2 dome = d.xz / (up + 0.12);
    float field = 0.65 * textureLod(u_cloud, dome * 0.11 + 0.3, 0.0).r;
    field += 0.35 * textureLod(u_cloud, dome * 0.37, 0.0).r;
    float cover = smoothstep(0.78 - 0.55 * u_clouds, 1.0 - 0.45 * u_clouds, field);
    cover *= smoothstep(0.0, 0.18, up);
    vec3 white = mix(u_horizon, vec3(1.0), 0.6) * (1.12 - 0.35 * smoothstep(0.55, 0.95, field));
    colour = mix(colour, white, cover * 0.9);
    colour = colour * (2.51 * colour + 0.03) / (colour * (2.43 * colour + 0.59) + 0.14);
    f_colour = vec4(sqrt(clamp(colour, 0.0, 1.0)), 1.0);
}
"""

SHRINK_FRAGMENT = """#version 330
uniform sampler2D u_frame;
uniform int u_factor;
out vec4 f_colour;
void main() {
    ivec2 first = ivec2(gl_FragCoord.xy) * u_factor;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < u_factor; ++y)
        for (int x = 0; x < u_factor; ++x) sum += texelFetch(u_frame, first + ivec2(x, y), 0).rgb;
    f_colour = vec4(sum / float(u_factor * u_factor), 1.0);
}
"""


def cutout(source: str) -> str:
    """The variant of a fragment shader for surfaces with holes (the opaque one keeps early depth tests)."""
    return source.replace("//CUTOUT", "#define CUTOUT")
