/** Boxes of task lists: the rendered boxes are exactly those that can be ticked, and a tick changes one character. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMarkup } from '../../pages/html.ts';
import { renderMarkdown } from '../../pages/markdown/render-markdown.ts';
import { taskMarks, withTask } from '../../pages/markdown/task-marks.ts';

const drawn = (source: string): number =>
  toMarkup(renderMarkdown(source, { repoPath: '/lab/ferries' })).match(/<input type="checkbox"/g)?.length ?? 0;

describe('a tick', () => {
  const text =
    'Before\n\n- [ ] one\n  - [x] inner\n1. [X] two\n\n```\n- [ ] code\n```\n\n> * [ ] quoted 🤖\n\n`- [ ] no`';

  it('finds exactly the boxes that are rendered', () => {
    expect(taskMarks(text).map(({ isDone }) => isDone)).toEqual([false, true, true, false]);
    expect(drawn(text)).toBe(4);
  });

  it('changes only the selected box', () => {
    expect(withTask(text, 3, true)).toBe(text.replace('* [ ] quoted', '* [x] quoted'));
    expect(withTask(text, 2, false)).toBe(text.replace('[X]', '[ ]'));
  });

  it('is refused if the box does not exist or already has that state', () => {
    for (const index of [-1, 4, 0.5, Number.NaN]) expect(withTask(text, index, true)).toBeNull();
    expect(withTask(text, 1, true)).toBeNull();
  });

  it('finds as many boxes as are rendered, for any list', () => {
    const item = fc.constantFrom(
      '- [ ] a',
      '- [x] b',
      '  - [ ] c',
      '- [ ]',
      '- [ ]d',
      '1. [X] e',
      'text',
      '',
      '    - [ ] f',
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), (lines) => {
        const source = lines.join('\n');
        expect(taskMarks(source)).toHaveLength(drawn(source));
      }),
    );
  });
});
