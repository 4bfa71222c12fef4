"""scikit-learn's own checks of what an estimator must do."""

import unittest
import warnings

import numpy as np
from sklearn.utils.estimator_checks import check_estimator

from moiety import BalancedKMeans, FairClassifier, FairKMeans

#: Checks that do not apply, each with the reason.
NOT_APPLICABLE = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a weight counts in sizes and shares, and its bearer moves as a whole: someone of weight 2 is not two people who may part; "
        "and weights are above 0"
    ),
}
#: And for sizes that differ by one at most.
WITH_EVEN_SIZES = NOT_APPLICABLE | {
    name: "sizes in weight cannot differ by one at most where weights move as a whole; the error says to give min_size and max_size"
    for name in ("check_sample_weights_list", "check_sample_weights_not_overwritten")
}


class GroupsBesideX(FairClassifier):
    """The checks know no groups: here every second person is in the other one."""

    def fit(self, X, y):
        rows = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
        return super().fit(X, y, sensitive_features=np.arange(rows) % 2)


class EstimatorChecks(unittest.TestCase):
    def passes(self, estimator, not_applicable=NOT_APPLICABLE):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check_estimator(estimator, on_fail=None, on_skip=None, expected_failed_checks=not_applicable)
        failed = [f"{each['check_name']}: {each['exception']!r}" for each in found if each["status"] == "failed"]
        self.assertEqual(failed, [])
        self.assertGreater(sum(each["status"] == "passed" for each in found), 30)

    def test_fair_k_means(self):
        self.passes(FairKMeans(n_jobs=1))

    def test_balanced_k_means(self):
        self.passes(BalancedKMeans(n_jobs=1), WITH_EVEN_SIZES)

    def test_fair_classifier(self):
        self.passes(GroupsBesideX(n_jobs=1))


if __name__ == "__main__":
    unittest.main()
