/** Asks for the caller's own token where the console wants one. */
import { useId, useState } from 'preact/hooks';
import { Brand } from '../parts/brand.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Problem } from '../parts/problem.tsx';

interface SignInProps {
  readonly why: string | undefined;
  readonly onToken: (token: string) => void;
}

export function SignIn({ why, onToken }: SignInProps) {
  const [text, setText] = useState('');
  const id = useId();
  const send = (event: Event) => {
    event.preventDefault();
    if (text.trim() !== '') onToken(text.trim());
  };
  return (
    <main class="doorstep">
      <Brand />
      <h1>Who is there?</h1>
      <p>
        This console shows what your own Kubernetes account may see. It wants a token of it, keeps it in this tab only,
        and asks the cluster with every request.
      </p>
      {!isSecureContext && (
        <Problem
          title="Others may read along"
          why="This page came by plain HTTP from another machine: so would your token go there, in clear text. Ask for an address with https, or use kubectl port-forward."
        />
      )}
      {why !== undefined && <Problem title="That token did not do" why={why} />}
      <form onSubmit={send}>
        <div class="field">
          <label for={id}>Token</label>
          <input
            id={id}
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <button type="submit" class="button primary" disabled={text.trim() === ''}>
          Sign in
        </button>
      </form>
      <p class="quiet-text">A token of an account, for an hour:</p>
      <Copyable text="kubectl create token ACCOUNT --namespace NAMESPACE --duration 1h" />
    </main>
  );
}
