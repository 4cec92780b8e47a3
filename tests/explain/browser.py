# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven by its DevTools protocol over a pipe: messages of JSON that end with a
NUL. Nothing but the browser itself is needed."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]


def find():
    """The browser's path, or None."""
    return os.environ.get("LAMELLA_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self, path, seconds=60):
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="lamella-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        # The pipes have the numbers 3 and 4 in the browser.
        def connect():
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)
        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--user-data-dir=" + self.folder, "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=connect, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
        except (OSError, RuntimeError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            block = os.read(self.read_end, 1 << 20)
            if not block:
                raise RuntimeError("the browser ended")
            self.buffer += block
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, parameters=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        deadline = time.monotonic() + self.seconds
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        deadline = time.monotonic() + self.seconds
        while True:
            for i, seen in enumerate(self.events):
                if seen.get("method") == event:
                    return self.events.pop(i)
            self.events.append(self.receive(deadline))

    def open(self, path, width=1200, height=900, dark=False):
        """Opens a file, and forgets what was seen before."""
        self.send("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.send("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.events.clear()
        # Another document in between: what differs behind # alone is no new load.
        self.send("Page.navigate", {"url": "about:blank"})
        self.wait_for("Page.loadEventFired")
        self.events.clear()
        self.send("Page.navigate", {"url": "file://" + os.path.abspath(path).split("#")[0]})
        self.wait_for("Page.loadEventFired")

    def run(self, script):
        """The value of an expression, which may be a promise."""
        result = self.send("Runtime.evaluate", {"expression": script, "awaitPromise": True,
                                                "returnByValue": True, "userGesture": True})
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise AssertionError(details.get("exception", {}).get("description") or str(details))
        return result["result"].get("value")

    def press(self, key, code=None, text=None):
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key, "code": code or key}
            virtual = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9,
                       "Enter": 13, "Home": 36, "End": 35, " ": 32}.get(key)
            if virtual:
                event["windowsVirtualKeyCode"] = event["nativeVirtualKeyCode"] = virtual
            if kind == "keyDown" and key in ("Enter", " "):
                event["text"] = "\r" if key == "Enter" else " "
            self.send("Input.dispatchKeyEvent", event)

    def type_text(self, text):
        self.send("Input.insertText", {"text": text})

    def complaints(self):
        """Errors, warnings and exceptions since the page was opened."""
        self.run("1")
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("exception: " + str(parameters["exceptionDetails"].get("exception", {}).get("description") or parameters["exceptionDetails"]["text"]))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append("console: " + str(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append("log: " + parameters["entry"]["text"])
        return found

    def requests(self):
        """Addresses that the page asked for, itself left out."""
        self.run("1")
        urls = [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls if not (url.startswith("file://") and url.endswith(".html"))]

    def screenshot(self, path, full=True):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shot = self.send("Page.captureScreenshot", {"captureBeyondViewport": full, "format": "png"})
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
