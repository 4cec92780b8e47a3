/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library inside of the page. Nothing that the module asks of a system is there: it reads no
 * files and no clock that matters. A module that ran out of memory is thrown away.
 */
const Live = {
  module: null,
  instance: null,
  isThere() {
    return document.getElementById("engine").textContent.length > 0;
  },

  async load() {
    if (this.module) return;
    if (typeof DecompressionStream !== "function")
      throw new Error("This browser is too old to unpack the engine.");
    const packed = Uint8Array.from(atob(document.getElementById("engine").textContent), (c) =>
      c.charCodeAt(0),
    );
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    this.module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  },

  async start() {
    await this.load();
    const refuse = () => 52; /* ENOSYS */
    const imports = {};
    for (const {module, name} of WebAssembly.Module.imports(this.module)) {
      imports[module] = imports[module] || {};
      imports[module][name] =
        name === "proc_exit"
          ? () => {
              throw new Error("the engine ended");
            }
          : refuse;
    }
    this.instance = await WebAssembly.instantiate(this.module, imports);
    if (this.instance.exports._initialize) this.instance.exports._initialize();
  },

  text(value) {
    const bytes = new TextEncoder().encode(value.replace(/\u0000/g, "\ufffd"));
    const at = this.instance.exports.live_allocate(bytes.length);
    new Uint8Array(this.instance.exports.memory.buffer, at, bytes.length).set(bytes);
    return at;
  },

  /* The data of a page on these records, or {error, where, line}. */
  async explain(given) {
    const {schema, records, columns, encoding, where = "", version, pageRows} = given;
    const {groupRows = 0, bloom = 0} = given;
    if (!this.instance) await this.start();
    try {
      const x = this.instance.exports;
      const size = x.live_explain(
        this.text(schema),
        this.text(records),
        this.text(columns),
        this.text(encoding),
        this.text(where),
        version,
        pageRows,
        groupRows,
        bloom,
      );
      const answer = new TextDecoder().decode(
        new Uint8Array(x.memory.buffer, x.live_answer(), size),
      );
      return readJson(answer);
    } catch (error) {
      this.instance = null;
      return {
        error: "These records are too much for the engine of this page (" + error.message + ").",
        where: "records",
        line: 0,
      };
    }
  },
};
