/** Files for the browser: style sheet, client script, icon, avatars, and Mermaid from its installed package. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reply } from '../reply.ts';
import { readClientScript } from './client-script.ts';

const styleFiles = [
  'colours.css',
  'base.css',
  'frame.css',
  'card.css',
  'thread.css',
  'markdown.css',
  'diff.css',
  'run.css',
  'panel.css',
];
const own = fileURLToPath(new URL('.', import.meta.url));
const mermaidFile = fileURLToPath(import.meta.resolve('@mermaid-js/tiny'));

/** Path parts after `/_playground/`: `assets/page.css`, `assets/mermaid.js`, `avatars/7`. */
export async function readAsset(parts: readonly string[]): Promise<Reply> {
  const [kind, ...rest] = parts;
  const name = rest.join('/');
  if (kind === 'avatars') return svgReply(avatarDrawing(Number(name)));
  if (name === 'page.css') return readCss();
  if (name === 'icon.svg') return svgReply(await readFile(path.join(own, 'icon.svg'), 'utf8'));
  if (name === 'page.js') return scriptReply(await readClientScript());
  if (name === 'mermaid.js') return readMermaid();
  return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no such asset' };
}

async function readCss(): Promise<Reply> {
  const sheets = await Promise.all(styleFiles.map((file) => readFile(path.join(own, 'style', file), 'utf8')));
  return { status: 200, headers: { 'content-type': 'text/css; charset=utf-8' }, body: sheets.join('\n') };
}

async function readMermaid(): Promise<Reply> {
  const reply = scriptReply(await readFile(mermaidFile));
  // The file does not change while the playground runs, so the browser may cache it.
  return { ...reply, headers: { ...reply.headers, 'cache-control': 'max-age=86400' } };
}

function scriptReply(body: string | Uint8Array): Reply {
  return { status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body };
}

function svgReply(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'image/svg+xml' }, body };
}

/** A plain disc in a colour of the account, for the API's `avatar_url`. */
function avatarDrawing(userId: number): string {
  const hue = Number.isFinite(userId) ? (userId * 67) % 360 : 0;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="8" fill="hsl(${hue} 45% 55%)"/></svg>`;
}
