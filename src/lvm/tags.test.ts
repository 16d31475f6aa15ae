import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import { OPTION_KEYS } from './contract.ts';
import { changeOfTags, decodeTag, encodeTag, LONGEST_TAG, type Owner, ownerOf, TagTooLong, tagsOf } from './tags.ts';

const OWNER: Owner = {
  uid: '6c2a1a0e-0f5c-4f0c-9a58-0d3c4a1f7b11',
  pv: 'data-0',
  cluster: 'c1',
  state: 'ready',
  options: { fsType: 'ext4', mountOpts: 'noexec,noatime', fsOpts: '' },
};

describe('a tag', () => {
  it.each([
    ['noexec,noatime', 'noexec#2Cnoatime'],
    ['-m 0 -L été#1', '-m#200#20-L#20#C3#A9t#C3#A9#231'],
    ['', ''],
    ['a:b!c&d/e=f+g', 'a:b!c&d/e=f+g'],
    ['\0\n@"\\', '#00#0A#40#22#5C'],
  ])('holds %j as %s', (value, written) => {
    expect(encodeTag('fsOpts', value)).toBe(`holdfast.dev/fsOpts=${written}`);
  });

  it('gives back every text, in characters that LVM takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        const tag = encodeTag('fsOpts', value);
        expect(tag).toMatch(/^[A-Za-z0-9_+./=!:&#-]+$/);
        expect(decodeTag(tag)).toEqual({ key: 'fsOpts', value });
      }),
    );
  });

  it.each([
    ['somebody/uid=1', 'of somebody else'],
    ['holdfast.dev/uid', 'without a value'],
    ['holdfast.dev/uid=#2c', 'in small letters'],
    ['holdfast.dev/uid=#41', 'that spells what need not be spelt'],
    ['holdfast.dev/uid=#', 'that ends in the middle'],
    ['holdfast.dev/uid=#C3', 'of half a character'],
  ])('that we never write is not read: %s, %s', (tag) => {
    expect(decodeTag(tag)).toBeUndefined();
  });

  it('that is too long for LVM is refused', () => {
    const room = LONGEST_TAG - 'holdfast.dev/fsOpts='.length;
    expect(encodeTag('fsOpts', 'x'.repeat(room))).toHaveLength(LONGEST_TAG);
    expect(() => encodeTag('fsOpts', 'x'.repeat(room + 1))).toThrow(TagTooLong);
  });
});

describe('the owner of a logical volume', () => {
  it('is read from its tags, whatever else is there and in whatever order', () => {
    const tags = [...tagsOf(OWNER), 'backup=daily', 'hold'].reverse();
    expect(ownerOf({ tags })).toEqual(OWNER);
  });

  it('is the one whose tags were written', () => {
    fc.assert(
      fc.property(anyOwner(), (owner) => {
        expect(ownerOf({ tags: tagsOf(owner) })).toEqual(owner);
      }),
    );
  });

  it.each(['uid', 'pv', 'cluster', 'state'])('is nobody without %s', (key) => {
    const tags = tagsOf(OWNER).filter((tag) => !tag.startsWith(`holdfast.dev/${key}=`));
    expect(ownerOf({ tags })).toBeUndefined();
  });

  it.each([
    ['a second uid', 'holdfast.dev/uid=other'],
    ['a second state', 'holdfast.dev/state=new'],
    ['a tag of ours that cannot be read', 'holdfast.dev/shred=#zz'],
  ])('is nobody with %s, since nobody can tell what is meant', (_, tag) => {
    expect(ownerOf({ tags: [...tagsOf(OWNER), tag] })).toBeUndefined();
  });

  it('is nobody in a state that we do not know', () => {
    const tags = tagsOf(OWNER).map((tag) => tag.replace('state=ready', 'state=done'));
    expect(ownerOf({ tags })).toBeUndefined();
  });

  it('changes by as few tags as possible, and nothing of others', () => {
    const lv = { tags: [...tagsOf({ ...OWNER, state: 'new' }), 'backup=daily'] };
    expect(changeOfTags(lv, { ...OWNER, fsBytes: 8n })).toEqual({
      add: ['holdfast.dev/fsBytes=8', 'holdfast.dev/state=ready'],
      remove: ['holdfast.dev/state=new'],
    });
    expect(changeOfTags({ tags: tagsOf(OWNER) }, OWNER)).toEqual({ add: [], remove: [] });
  });
});

function anyOwner(): fc.Arbitrary<Owner> {
  const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 });
  const values = fc.uniqueArray(fc.tuple(fc.constantFrom(...OPTION_KEYS), text), { selector: ([key]) => key });
  const all = fc.record(
    {
      uid: text,
      pv: text,
      cluster: text,
      state: fc.constantFrom('new', 'ready'),
      options: values.map((pairs) => Object.fromEntries(pairs)),
      fsBytes: fc.bigInt({ min: 0n, max: 2n ** 63n }),
      shredding: fc.constantFrom('isShredding', 'isShredded'),
      trashedAt: fc.nat(),
    },
    { requiredKeys: ['uid', 'pv', 'cluster', 'state', 'options'] },
  );
  return all.map(({ shredding, ...owner }) => ({ ...owner, ...(shredding !== undefined && { [shredding]: true }) }));
}
