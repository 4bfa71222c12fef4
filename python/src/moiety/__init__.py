"""Fair clustering and fair classification of people, in scikit-learn's conventions.

    from moiety import FairKMeans

    labels = FairKMeans(n_clusters=4, delta=0.2, random_state=1).fit(X, sensitive_features=frame).labels_

Everything is computed by one process of Moiety's own (Node.js), which starts with the first call and stays; arrays go to it over a
pipe. The labels of a seed are those of the command line.
"""

from ._classifier import FairClassifier
from ._clusterers import BalancedKMeans, FairKMeans
from ._report import Report, Result
from ._version import __version__
from ._worker import InfeasibleError, MoietyError, WorkerError

__all__ = [
    "BalancedKMeans",
    "FairClassifier",
    "FairKMeans",
    "InfeasibleError",
    "MoietyError",
    "Report",
    "Result",
    "WorkerError",
    "__version__",
]
