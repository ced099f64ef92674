"""`treadle view`: a recipe seen while its parameters change, in a window or in a browser.

In: a recipe, and photos or a test card. Out: pictures, as they become with each change, and the
recipe with what was found, in a file.
"""

from __future__ import annotations

from treadle.viewing.viewer import Control, Viewer, inputs_of

__all__ = ["Control", "Viewer", "inputs_of"]
