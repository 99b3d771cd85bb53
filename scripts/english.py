#!/usr/bin/env python3
"""Measures plain English: marker words per 10,000 words, by place.

Markers are words that make a sentence read as if it were translated. Comparable projects use few of them in comments:
branch-deploy 43, bors 25, changesets 24, execa 14, policy-bot 8. The limit is a rate, so each word is fine now and then.
Run it from the project's root.
Exit status 1 when a place is above its limit.
"""
import collections
import os
import re
import sys

MARKERS = [
    r'told', r'tells?', r'said', r'says?', r'stands?|standing|stood', r'looks?|looked', r'beside', r'elsewhere', r'anew',
    r'whom', r'whose', r'somebody', r'nobody', r'anybody', r'whoever|whatever|wherever', r'alone', r'begun', r'begins?',
    r'meant', r'owe[ds]?', r'heard|hears?', r'lies?', r'goes? on', r'of it', r'of ours|none of ours', r'at once',
    r'for good', r'slip', r'mend(?:ed|s)?', r'put right',
]
PATTERN = re.compile(r'\b(?:' + '|'.join(MARKERS) + r')\b')
COMMENT = re.compile(r'^\s*(//|/\*|\*)')
TITLE = re.compile(r"\b(?:it|test|describe)(?:\.each\([^)]*\))?\(\s*['\"`]([^'\"`]{8,})")
SENTENCE = re.compile(r"['`]([^'`\n]{20,})['`]")


def files(root, *ends):
    for folder, names, found in os.walk(root):
        names[:] = [n for n in names if n not in ('node_modules', '__snapshots__', '.git', 'dist')]
        for name in found:
            if name.endswith(ends):
                yield os.path.join(folder, name)


def read(path):
    with open(path, encoding='utf-8', errors='ignore') as file:
        return file.read()


def comments(root):
    return ' '.join(re.sub(r'^[\s/*!]+', '', line) for path in files(root, '.ts') for line in read(path).splitlines()
                    if COMMENT.match(line))


def prose(*paths):
    text = ' '.join(read(p) for root in paths for p in (files(root, '.md') if os.path.isdir(root) else [root]) if os.path.exists(p))
    text = re.sub(r'```.*?```', ' ', text, flags=re.S)
    return re.sub(r'`[^`]*`|<!--.*?-->|\]\([^)]*\)', ' ', text, flags=re.S)


def inside(root, pattern):
    return ' '.join(m for path in files(root, '.ts') for m in pattern.findall(read(path)))


# Place and text.
PLACES = [
    ('comments in src', lambda: comments('src')),
    ('comments in the playground', lambda: comments('packages/playground')),
    ('sentences of the bot', lambda: inside('src/render', SENTENCE)),
    ('README, CONTRIBUTING, SECURITY', lambda: prose('README.md', 'CONTRIBUTING.md', 'SECURITY.md')),
    ('docs', lambda: prose('docs')),
    ('test titles', lambda: inside('test', TITLE) + ' ' + inside('packages', TITLE)),
]
LIMIT = 40


def main():
    over = []
    for name, text_of in PLACES:
        text = text_of().lower()
        words = len(re.findall(r"[a-z']+", text))
        hits = collections.Counter(PATTERN.findall(text))
        rate = sum(hits.values()) * 1e4 / max(1, words)
        most = ', '.join(f'{w} {n}' for w, n in hits.most_common(6))
        if rate > LIMIT:
            over.append(name)
        print(f'{name:32} {words:8} words {rate:6.0f} per 10,000 (limit {LIMIT})  {most}')
    sys.exit(1 if over else 0)


main()
