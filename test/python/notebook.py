"""Runs a notebook and prints the text of its outputs: notebook.py FILE FOLDER"""

import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=200, resources={"metadata": {"path": sys.argv[2]}}).execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        print(output.get("text") or output.get("data", {}).get("text/plain", ""))
