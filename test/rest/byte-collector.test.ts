import { expect, it } from 'vitest';
import { ByteCollector } from '../../src/lib/byte-collector.ts';

const collected = (chunks: readonly string[]): ByteCollector => {
  const bytes = new ByteCollector();
  for (const chunk of chunks) bytes.add(Buffer.from(chunk));
  return bytes;
};

it.each([[[]], [['whole']], [['a', '', 'bc', 'd'.repeat(5_000), 'e']]])(
  'a byte collector joins the chunks %j into one buffer',
  (chunks) => {
    const bytes = collected(chunks);

    expect(bytes.take().toString()).toBe(chunks.join(''));
    expect(bytes.size).toBe(chunks.join('').length);
  },
);

it('a byte collector does not overwrite the chunks it was given', () => {
  const first = Buffer.from('first');
  const bytes = new ByteCollector();

  bytes.add(first);
  bytes.add(Buffer.from('second'));

  expect(first.toString()).toBe('first');
});

it('a byte collector allocates at most twice the bytes of 100,000 chunks of one byte', () => {
  const bytes = collected(Array.from('x'.repeat(100_000)));

  expect(bytes.take().buffer.byteLength).toBeLessThanOrEqual(200_000);
});
