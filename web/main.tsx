/** @file The page: a navigation over the views, and the view that the address names. */

import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAddress, type ViewProps, writeAddress } from "./address.ts";
import { isServed, useServerGone } from "./server.ts";
import { type View, views } from "./views/index.ts";

function App() {
  const { view: name, settings, visit } = useAddress();
  const shown = views.filter(({ needsServer }) => !needsServer || isServed());
  const view = name === "" ? shown[0] : shown.find((each) => each.name === name);
  const isEmbedded = "embed" in settings || new URLSearchParams(location.search).has("embed");
  const gone = useServerGone();
  useEffect(() => {
    document.title = view === undefined ? "Statelab" : `${view.title} · Statelab`;
    document.querySelector('meta[name="description"]')?.setAttribute("content", view?.question ?? "");
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [view]);
  const links = shown.map(({ name: own, title }) => (
    <a
      key={own}
      href={writeAddress({ view: own, settings: {} })}
      aria-current={own === view?.name ? "page" : undefined}
    >
      {title}
    </a>
  ));
  return (
    <>
      {!isEmbedded && (
        <header class="top">
          <a class="home" href="#/">
            Statelab
          </a>
          <nav aria-label="Views">{links}</nav>
          <CopyLink key={location.hash} />
        </header>
      )}
      <main>
        {gone !== undefined && (
          <p role="alert" class="stale">
            The server of this page has stopped: start it again with <code>{gone}</code>
          </p>
        )}
        {view === undefined ? (
          <div role="alert">
            <h1>No view “{name}”</h1>
            <p>
              {views.some((each) => each.name === name) &&
                "A static site has none: it needs a server, npx statelab studio. "}
              The views are:
            </p>
            <p class="controls">{links}</p>
          </div>
        ) : (
          <>
            <h1>{view.question}</h1>
            <Loaded key={`${view.name} ${visit}`} view={view} settings={settings} />
          </>
        )}
      </main>
    </>
  );
}

function CopyLink() {
  const [said, setSaid] = useState("Copy link");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid("Copied");
    } catch {
      setSaid("Copy it from the address bar"); // no clipboard without HTTPS, or without permission
    }
  };
  return (
    <button type="button" onClick={copy}>
      {said}
    </button>
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
