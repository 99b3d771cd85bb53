/** The preview of a comment, rendered with the same Markdown as the thread. */
import { toMarkup } from './html.ts';
import { renderMarkdown } from './markdown/render-markdown.ts';
import { htmlReply, type Reply } from './reply.ts';

/** Form fields: `body`, and `repo` as `owner/name` for links such as `#12`. */
export function previewMarkup(form: URLSearchParams): Reply {
  const [owner = '', name = ''] = (form.get('repo') ?? '').split('/');
  const repoPath = `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  return htmlReply(200, toMarkup(renderMarkdown(form.get('body') ?? '', { repoPath })));
}
