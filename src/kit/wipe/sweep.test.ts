import fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOf } from './course.ts';
import { Sweep } from './sweep.ts';

it('says that all is done up to a place only when it is, in whatever order pieces end', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lengths, fc.nat(30), fc.infiniteStream(fc.nat(3)), (extents, from, choices) => {
      const total = extents.reduce((sum, length) => sum + length, 0);
      const start = Math.min(from, total);
      const pieces = [
        ...piecesOf({ does: 'zero', extents: extents.map((length) => ({ start: 0, length })) }, start, 7),
      ];
      const sweep = new Sweep(start);
      const done = new Set<number>();
      const under: typeof pieces = [];
      expect(sweep.doneBytes).toBe(start);
      for (const choice of choices) {
        const next = choice > 0 && under.length < 4 ? pieces.shift() : undefined;
        if (next) {
          sweep.begin(next);
          under.push(next);
        } else {
          const [ended] = under.splice(choice % Math.max(1, under.length), 1);
          if (!ended && pieces.length === 0) break;
          if (ended) {
            sweep.end(ended);
            for (let at = ended.at; at < ended.at + ended.length; at++) done.add(at);
          }
        }
        let reached = start;
        while (done.has(reached)) reached += 1;
        expect(sweep.doneBytes).toBe(reached);
      }
      expect(sweep.doneBytes).toBe(total);
    }),
  );
});

it('never goes past a piece that has failed', () => {
  const sweep = new Sweep(0);
  const [first, second] = [...piecesOf({ does: 'zero', extents: [{ start: 0, length: 20 }] }, 0, 10)];
  if (!first || !second) throw new Error('there are two pieces');
  sweep.begin(first);
  sweep.begin(second);
  sweep.end(second);
  expect(sweep.doneBytes).toBe(0);
});
