"""Programs in the documents run as they stand there."""

import pathlib
import re
import unittest

import numpy as np

try:
    import pandas
except ImportError:
    pandas = None

ROOT = pathlib.Path(__file__).resolve().parents[2]


def programs_in(page):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def reader():
    """What a reader has: numbers of people, newcomers, and a frame with their groups."""
    random = np.random.default_rng(1)
    sex, ethnicity = random.choice(["F", "M"], 200), random.choice(["A", "B"], 200)
    frame = pandas.DataFrame({"sex": sex, "ethnicity": ethnicity})
    return {"X": random.normal(size=(200, 3)), "X_new": random.normal(size=(5, 3)), "frame": frame}


@unittest.skipUnless(pandas, "pandas is not there")
class Documents(unittest.TestCase):
    def test_programs_run(self):
        for page in ("README.md", "python/README.md", "docs/how-to/python.md"):
            programs = programs_in(page)
            self.assertNotEqual(programs, [], page)
            for program in programs:
                with self.subTest(page=page):
                    exec(compile(program, page, "exec"), reader())


if __name__ == "__main__":
    unittest.main()
