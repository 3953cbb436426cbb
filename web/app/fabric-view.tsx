// The fabric at the time that is shown: each half of a line has the shade of what is sent from that side. One instanced
// draw; loads of all times stand in a texture, so a step in time uploads nothing. Where WebGL2 is missing, a Canvas draws.
// Invariant: what is selected is wider and of another colour, so it is seen without telling shades apart.

import { effect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RunView } from '#weft/app/view/run-view.js';
import { boxesSvg, pictureWidth } from '#weft/report/page/fabric-layout.js';
import { loadLimits } from '#weft/report/page/look.js';
import { halves, lineWidth, pictureHeight, shadeOf } from './fabric-lines.js';
import { look } from './looks.js';
import { levelsOf, type Sight } from './state.js';

const vertexSource = `#version 300 es
in vec2 corner;
in vec4 ends;
in float row;
uniform vec2 size;
uniform float pixels;
uniform int bin;
uniform highp sampler2D loads;
uniform sampler2D chosen;
flat out float load;
flat out float isChosen;
void main() {
  load = texelFetch(loads, ivec2(bin, int(row)), 0).r;
  isChosen = texelFetch(chosen, ivec2(int(row) & 255, int(row) >> 8), 0).r;
  vec2 along = ends.zw - ends.xy;
  vec2 normal = normalize(vec2(-along.y, along.x));
  float width = (isChosen > 0.0 ? 4.0 : 0.7 + 2.3 * load) * pixels;
  vec2 at = ends.xy + along * corner.x + normal * corner.y * width * 0.5;
  gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, isChosen > 0.0 ? -0.9 : 0.8 - load, 1.0);
}`;
const fragmentSource = `#version 300 es
precision mediump float;
flat in float load;
flat in float isChosen;
uniform vec3 shades[7];
uniform float limits[6];
uniform vec3 path;
out vec4 colour;
void main() {
  int shade = 0;
  for (int i = 0; i < 6; i++) if (load > limits[i] + 0.002) shade = i + 1;
  colour = vec4(isChosen > 0.0 ? path : shades[shade], 1.0);
}`;

/** Lines that are selected, 1 each. */
function chosenLines(view: RunView, links: readonly number[]): Uint8Array {
  const rows = 256 * Math.max(1, Math.ceil(view.lineEnds.length / 2 / 256));
  const chosen = new Uint8Array(rows);
  for (const place of links) if (view.lineOfLink[place]! >= 0) chosen[view.lineOfLink[place]!] = 255;
  return chosen;
}

function rgb(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** Draws one view until it is told to end. */
interface Painter {
  paint(): void;
  end(): void;
}

function webglPainter(
  canvas: HTMLCanvasElement,
  view: RunView,
  sight: Sight,
  levels: Uint8Array,
  height: number,
): Painter | null {
  const gl = canvas.getContext('webgl2', { antialias: true });
  if (gl === null) return null;
  const lines = view.lineEnds.length / 2;
  if (Math.max(view.bins, lines) > (gl.getParameter(gl.MAX_TEXTURE_SIZE) as number)) return null;
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertexSource],
    [gl.FRAGMENT_SHADER, fragmentSource],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) return null;
  gl.useProgram(program);
  const attribute = (name: string, values: Float32Array, width: number, divisor: number): void => {
    const at = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(at, divisor);
  };
  attribute('corner', Float32Array.of(0, -1, 0, 1, 1, -1, 1, 1), 2, 0);
  attribute('ends', halves(view), 4, 1);
  attribute(
    'row',
    Float32Array.from({ length: lines }, (_, row) => row),
    1,
    1,
  );
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  const texture = (unit: number, name: string, width: number, rows: number, values: Uint8Array): void => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, width, rows, 0, gl.RED, gl.UNSIGNED_BYTE, values);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.uniform1i(gl.getUniformLocation(program, name), unit);
  };
  texture(0, 'loads', view.bins, lines, levels);
  const at = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(program, name);
  const places = { bin: at('bin'), path: at('path'), shades: at('shades'), pixels: at('pixels') };
  gl.uniform2f(at('size'), pictureWidth, height);
  gl.uniform1fv(at('limits'), Float32Array.from(loadLimits));
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  let shown: unknown;
  return {
    paint: () => {
      const { load } = look.value;
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      if (shown !== sight.links.value) {
        const chosen = chosenLines(view, sight.links.value);
        texture(1, 'chosen', 256, chosen.length / 256, chosen);
        shown = sight.links.value;
      }
      gl.uniform1i(places.bin, sight.bin.value);
      gl.uniform3fv(places.path, rgb(look.value.isDark ? '#ffd34d' : '#d6008f'));
      gl.uniform3fv(places.shades, load.flatMap(rgb));
      gl.uniform1f(places.pixels, (pictureWidth / canvas.width) * devicePixelRatio);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines);
    },
    end: () => gl.getExtension('WEBGL_lose_context')?.loseContext(),
  };
}

function canvasPainter(canvas: HTMLCanvasElement, view: RunView, sight: Sight, levels: Uint8Array): Painter {
  const context = canvas.getContext('2d')!;
  const ends = halves(view);
  return {
    paint: () => {
      const scale = canvas.width / pictureWidth;
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      const chosen = chosenLines(view, sight.links.value);
      for (let line = 0; 4 * line < ends.length; line++) {
        const load = levels[line * view.bins + sight.bin.value]! / 255;
        const isChosen = chosen[line]! > 0;
        context.strokeStyle = isChosen ? (look.value.isDark ? '#ffd34d' : '#d6008f') : look.value.load[shadeOf(load)]!;
        context.lineWidth = isChosen ? 4 : lineWidth(load);
        context.beginPath();
        context.moveTo(ends[4 * line]!, ends[4 * line + 1]!);
        context.lineTo(ends[4 * line + 2]!, ends[4 * line + 3]!);
        context.stroke();
      }
    },
    end: () => {},
  };
}

/** The directed line whose half is nearest to a point of the picture; -1: none is near. */
function nearestLine(view: RunView, x: number, y: number): number {
  const ends = halves(view);
  let [best, found] = [8, -1];
  for (let line = 0; 4 * line < ends.length; line++) {
    const [x1, y1, x2, y2] = ends.subarray(4 * line, 4 * line + 4) as unknown as [number, number, number, number];
    const [dx, dy] = [x2 - x1, y2 - y1];
    const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    const [ex, ey] = [x - x1 - along * dx, y - y1 - along * dy];
    const distance = Math.sqrt(ex * ex + ey * ey);
    if (distance < best) [best, found] = [distance, line];
  }
  return found;
}

/** The fabric of a run. */
export function FabricView({ view, sight }: { readonly view: RunView; readonly sight: Sight }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const height = pictureHeight(view);
  const { lines } = levelsOf(view);
  useEffect(() => {
    const own = canvas.current!;
    const ratio = devicePixelRatio;
    own.width = Math.round(own.clientWidth * ratio);
    own.height = Math.round((own.width * height) / pictureWidth);
    const painter = webglPainter(own, view, sight, lines, height) ?? canvasPainter(own, view, sight, lines);
    let frame = 0;
    const end = effect(() => {
      // what a painting depends on
      void [sight.bin.value, sight.links.value, look.value];
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => painter.paint());
    });
    return () => {
      end();
      cancelAnimationFrame(frame);
      painter.end();
    };
  }, [lines, sight]);
  const pick = (event: MouseEvent): void => {
    const { left, top, width } = canvas.current!.getBoundingClientRect();
    const scale = pictureWidth / width;
    const line = nearestLine(view, (event.clientX - left) * scale, (event.clientY - top) * scale);
    if (line < 0) sight.clear();
    else sight.choose(busiest(view, line, sight.bin.value));
  };
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" class="fabric" viewBox="0 0 ${pictureWidth} ${height}" font-size="11" aria-hidden="true">${boxesSvg(view.boxes)}</svg>`;
  return (
    <figure class="fabric-view" data-testid="fabric" role="img" aria-label={fabricText(view)} onClick={pick}>
      <canvas ref={canvas} key={lines} style={{ aspectRatio: `${pictureWidth} / ${height}` }} />
      <div class="over" dangerouslySetInnerHTML={{ __html: picture }} />
    </figure>
  );
}

/** Of the links of a line, the one with the highest level in a bin. */
function busiest(view: RunView, line: number, bin: number): number {
  const { links } = levelsOf(view);
  let found = -1;
  for (const [place, own] of view.lineOfLink.entries()) {
    if (own !== line) continue;
    const now = links[place * view.bins + bin]!;
    if (found < 0 || now > links[found * view.bins + bin]!) found = place;
  }
  return found;
}

function fabricText(view: RunView): string {
  return `the fabric: ${view.boxes.length} boxes, ${view.lineEnds.length / 4} lines; choose links by keyboard in the list of links`;
}
