/** @file The page: a navigation over the views, and the view that the address names. */

import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAddress, type ViewProps, writeAddress } from "./address.ts";
import { isServed } from "./server.ts";
import { type View, views } from "./views/index.ts";

function App() {
  const { view: name, settings } = useAddress();
  const shown = views.filter(({ needsServer }) => !needsServer || isServed());
  const view = name === "" ? shown[0] : shown.find((each) => each.name === name);
  return (
    <>
      <header class="top">
        <a class="home" href="#/">
          Statelab
        </a>
        <nav aria-label="Views">
          {shown.map(({ name: own, title }) => (
            <a
              key={own}
              href={writeAddress({ view: own, settings: {} })}
              aria-current={own === view?.name ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      </header>
      <main>
        {view === undefined ? (
          <p role="alert">
            No view “{name}”{views.some((each) => each.name === name) ? " without statelab studio" : ""}.
            Choose one above.
          </p>
        ) : (
          <Loaded key={view.name} view={view} settings={settings} />
        )}
      </main>
    </>
  );
}

function Loaded({ view, settings }: { readonly view: View } & ViewProps) {
  const [loaded, setLoaded] = useState<{ readonly View: ComponentType<ViewProps> } | string>();
  useEffect(() => {
    view.load().then(setLoaded, (error) => setLoaded(String(error)));
  }, [view]);
  if (loaded === undefined) return <p class="muted">Loading {view.title} …</p>;
  if (typeof loaded === "string")
    return (
      <p role="alert">
        {view.title} could not be loaded ({loaded}). Reload the page.
      </p>
    );
  return <loaded.View settings={settings} />;
}

const root = document.getElementById("app")!; // page.html has it
root.replaceChildren();
render(<App />, root);
