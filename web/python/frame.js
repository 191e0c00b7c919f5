/* The frame's own document only relays between the page and the worker that it starts from the text it is given. */
let worker;
addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  if (typeof data.program === "string") {
    worker?.terminate();
    worker = new Worker(URL.createObjectURL(new Blob([data.program], { type: "text/javascript" })));
    worker.onmessage = (event) => parent.postMessage(event.data, "*");
    worker.onerror = (event) =>
      parent.postMessage({ kind: "failed", words: event.message || "the worker could not be started" }, "*");
  } else worker?.postMessage(data);
});
parent.postMessage({ kind: "open" }, "*");
