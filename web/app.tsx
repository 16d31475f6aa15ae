/** The page as a whole: greets the server, asks who is there where that is wanted, and shows the cluster. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Hello } from '../src/console/model.ts';
import { type Service, serviceWith, wantsSignIn } from './live/service.ts';
import { keepToken, keptToken } from './live/token.ts';
import { whyOf } from './parts/problem.tsx';
import { Shell } from './shell.tsx';
import { FirstFrame } from './views/first-frame.tsx';
import { SignIn } from './views/sign-in.tsx';
import { Unreachable } from './views/unreachable.tsx';

type Greeting =
  | { readonly is: 'asked' }
  | { readonly is: 'known'; readonly hello: Hello }
  | { readonly is: 'stranger'; readonly why?: string }
  | { readonly is: 'unanswered'; readonly why: string };

export function App() {
  const token = useRef(keptToken());
  const service = useMemo(() => serviceWith(() => token.current), []);
  const [greeting, setGreeting] = useState<Greeting>({ is: 'asked' });

  const greet = useCallback(() => {
    setGreeting({ is: 'asked' });
    greetingOf(service, token.current !== undefined).then(setGreeting);
  }, [service]);
  const signIn = (given: string) => {
    token.current = given;
    keepToken(given);
    greet();
  };
  const signOut = useCallback((why?: string) => {
    token.current = undefined;
    keepToken(undefined);
    setGreeting({ is: 'stranger', ...(why !== undefined && { why }) });
  }, []);
  useEffect(greet, [greet]);

  switch (greeting.is) {
    case 'asked':
      return <FirstFrame />;
    case 'stranger':
      return <SignIn why={greeting.why} onToken={signIn} />;
    case 'unanswered':
      return <Unreachable why={greeting.why} onRetry={greet} />;
    case 'known':
      return <Shell hello={greeting.hello} service={service} onSignOut={signOut} />;
  }
}

async function greetingOf(service: Service, hasToken: boolean): Promise<Greeting> {
  try {
    const hello = await service.hello();
    if (!hello.wantsToken || hello.user !== undefined) return { is: 'known', hello };
    return { is: 'stranger', ...(hasToken && { why: 'The cluster does not know it, or no longer.' }) };
  } catch (problem) {
    if (!wantsSignIn(problem)) return { is: 'unanswered', why: whyOf(problem) };
    return { is: 'stranger', ...(hasToken && { why: whyOf(problem) }) };
  }
}
