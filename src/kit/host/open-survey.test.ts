import { describe, expect, it } from 'vitest';
import { type OpenSurvey, openAnswer, type Unseen } from './open-survey.ts';

describe('whether a device is open', () => {
  const opener = { pid: 7, command: 'dd', fd: 3, self: false };
  const seen: OpenSurvey = { openers: new Map([['8:0', [opener]]]), unseen: [] };
  const init: Unseen = { kind: 'process', pid: 1, command: 'init', code: 'EACCES', reason: 'init cannot be read' };
  const hidden: Unseen = { kind: 'hidden-processes', reason: 'no hostPID' };

  it('is yes when somebody is seen to have it open, even if not all was seen', () => {
    expect(openAnswer(seen, ['8:0'])).toEqual({ open: 'yes', openers: [opener] });
    expect(openAnswer({ ...seen, unseen: [init] }, ['8:0'], { vouchedFor: () => true })).toMatchObject({ open: 'yes' });
  });

  it('is yes when a part of it, or the whole that it is part of, is open', () => {
    expect(openAnswer(seen, ['8:1', '8:0'])).toEqual({ open: 'yes', openers: [opener] });
  });

  it('leaves out the openers that the caller knows of', () => {
    expect(openAnswer(seen, ['8:0'], { except: ({ pid }) => pid === 7 })).toEqual({ open: 'no' });
  });

  it('is no only when all was seen', () => {
    expect(openAnswer(seen, ['8:16'])).toEqual({ open: 'no' });
    expect(openAnswer({ ...seen, unseen: [init] }, ['8:16'])).toEqual({ open: 'unknown', unseen: [init] });
  });

  it('is no when a person vouches for the process that could not be seen, and for no other', () => {
    const vouchedFor = ({ pid }: { pid: number }) => pid === 1;
    expect(openAnswer({ ...seen, unseen: [init] }, ['8:16'], { vouchedFor })).toEqual({ open: 'no' });
    const other = { ...init, pid: 12 };
    expect(openAnswer({ ...seen, unseen: [init, other] }, ['8:16'], { vouchedFor })).toEqual({
      open: 'unknown',
      unseen: [other],
    });
  });

  it('stays unknown whoever vouches when processes are not even listed', () => {
    expect(openAnswer({ ...seen, unseen: [hidden] }, ['8:16'], { vouchedFor: () => true })).toEqual({
      open: 'unknown',
      unseen: [hidden],
    });
  });
});
