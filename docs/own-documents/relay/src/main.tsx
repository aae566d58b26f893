import { Component, Suspense, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { App } from './App';
import { environment } from './environment';
import { Entries } from './Entries';

/** Relay throws what a query could not read at all. */
class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  render = () => (this.state.error ? <p>{this.state.error.message}</p> : this.props.children);
}

createRoot(document.getElementById('root')!).render(
  <RelayEnvironmentProvider environment={environment}>
    <Boundary>
      <Suspense fallback={<p>One moment …</p>}>
        <App pageId="page_northwind" />
        <Entries topicId="topic_03" />
      </Suspense>
    </Boundary>
  </RelayEnvironmentProvider>,
);
