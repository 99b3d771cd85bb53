/** The frame of every comment: the hidden marker line, then the sign that a machine speaks. */

import { type Marker, markerText } from '../domain/marker.ts';

/** One comment's source. `content` is Markdown; its first line follows the 🤖. */
export function comment(marker: Marker, content: string): string {
  // rule HR-24
  return `${markerText(marker)}\n🤖 ${content.trim()}\n`;
}
