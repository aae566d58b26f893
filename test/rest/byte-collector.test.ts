import { expect, it } from 'vitest';
import { ByteCollector } from '../../src/lib/byte-collector.ts';

const collected = (chunks: readonly string[]): ByteCollector => {
  const bytes = new ByteCollector();
  for (const chunk of chunks) bytes.add(Buffer.from(chunk));
  return bytes;
};

it.each([[[]], [['whole']], [['a', '', 'bc', 'd'.repeat(5_000), 'e']]])(
  'makes one buffer of %j',
  (chunks) => {
    const bytes = collected(chunks);

    expect(bytes.take().toString()).toBe(chunks.join(''));
    expect(bytes.size).toBe(chunks.join('').length);
  },
);

it('writes over nothing that it was given', () => {
  const first = Buffer.from('first');
  const bytes = new ByteCollector();

  bytes.add(first);
  bytes.add(Buffer.from('second'));

  expect(first.toString()).toBe('first');
});

it('takes no more than twice what it holds, however small the chunks are', () => {
  const bytes = collected(Array.from('x'.repeat(100_000)));

  expect(bytes.take().buffer.byteLength).toBeLessThanOrEqual(200_000);
});
