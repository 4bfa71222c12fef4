"""What the package promises."""

import faulthandler
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import moiety
from moiety import BalancedKMeans, FairClassifier, FairKMeans, InfeasibleError, MoietyError, WorkerError, _worker

try:
    import pandas
except ImportError:
    pandas = None


# What hangs says where, and ends.
faulthandler.dump_traceback_later(900, exit=True)


def people(n=600, seed=0):
    random = np.random.default_rng(seed)
    sex = np.where(random.random(n) < 0.4, "F", "M")
    X = random.normal(size=(n, 3))
    X[:, 0] += 2 * (sex == "F")
    return X, sex


def shares(labels, sex):
    return [float(np.mean(sex[labels == m] == "F")) for m in range(labels.max() + 1)]


def fit_elsewhere(send):
    X, sex = people()
    send.send((_worker._worker is None, FairKMeans(4, random_state=1).fit(X, sensitive_features=sex).labels_))


class Clusterers(unittest.TestCase):
    def test_groups_have_their_shares_where_plain_clusters_do_not_give_them(self):
        X, sex = people()
        whole = np.mean(sex == "F")
        plain = FairKMeans(3, random_state=1).fit(X)
        fair = FairKMeans(3, delta=0.2, random_state=1).fit(X, sensitive_features=sex)
        sizes = np.bincount(fair.labels_)
        self.assertGreater(max(shares(plain.labels_, sex)), whole / 0.8 + 1 / 30)
        for share, size in zip(shares(fair.labels_, sex), sizes):
            self.assertGreaterEqual(share * size, whole * 0.8 * size - 1)
            self.assertLessEqual(share * size, whole / 0.8 * size + 1)
        self.assertTrue(fair.result_["fair"])

    def test_attributes_are_those_of_scikit_learn(self):
        X, _ = people()
        model = FairKMeans(4, random_state=1).fit(X)
        self.assertEqual(model.cluster_centers_.shape, (4, 3))
        means = np.array([X[model.labels_ == m].mean(axis=0) for m in range(4)])
        np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-3)
        self.assertAlmostEqual(model.inertia_, float(((X - means[model.labels_]) ** 2).sum()), delta=1e-2)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        np.testing.assert_array_equal(clone(model).fit_predict(X), model.labels_)

    def test_a_column_that_is_the_same_for_all_stays_in_the_centres(self):
        X, _ = people()
        model = FairKMeans(2, random_state=1).fit(np.column_stack([X, np.full(len(X), 7.0)]))
        np.testing.assert_array_equal(model.cluster_centers_[:, 3], [7, 7])

    def test_rows_columns_and_precision_do_not_matter(self):
        X, sex = people()
        X = X.astype(np.float32).astype(np.float64)
        labels = FairKMeans(4, random_state=1).fit(X, sensitive_features=sex).labels_
        for same in (np.asfortranarray(X), X[::1], np.repeat(X, 2, axis=0)[::2], X.tolist()):
            np.testing.assert_array_equal(FairKMeans(4, random_state=1).fit(same, sensitive_features=sex).labels_, labels)

    def test_there_are_more_people_than_a_pipe_holds_labels_of(self):
        X = np.random.default_rng(0).normal(size=(1_000_000, 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = FairKMeans(2, random_state=0, max_iter=2).fit(X)
        self.assertEqual(len(model.labels_), len(X))
        np.testing.assert_array_equal(model.predict(X), model.labels_)

    def test_sizes_are_even(self):
        X, sex = people()
        self.assertEqual(np.bincount(BalancedKMeans(4, random_state=1).fit(X).labels_).tolist(), [150] * 4)
        both = BalancedKMeans(4, random_state=1).fit(X, sensitive_features=sex)
        self.assertEqual(np.bincount(both.labels_).tolist(), [150] * 4)
        self.assertTrue(both.result_["fair"])
        limited = BalancedKMeans(3, balance=None, min_size=100, max_size=250, random_state=1).fit(X)
        self.assertTrue(all(100 <= size <= 250 for size in np.bincount(limited.labels_)))

    def test_weights_count(self):
        X, sex = people()
        weights = np.where(sex == "F", 3.0, 1.0)
        model = FairKMeans(3, random_state=1).fit(X, sensitive_features=sex, sample_weight=weights)
        self.assertEqual(model.result_["weights"]["total"], weights.sum())
        self.assertAlmostEqual(sum(model.result_["sizes"]), weights.sum())

    def test_groups_come_in_many_forms(self):
        X, sex = people()
        labels = FairKMeans(4, random_state=1).fit(X, sensitive_features={"sex": sex}).labels_
        forms = [sex, sex.reshape(-1, 1), list(sex), {"any": sex.astype(object)}]
        if pandas:
            frame = pandas.DataFrame({"sex": sex})
            forms += [frame, frame["sex"], frame["sex"].astype("category")]
        for form in forms:
            np.testing.assert_array_equal(FairKMeans(4, random_state=1).fit(X, sensitive_features=form).labels_, labels)
        numbers = FairKMeans(4, random_state=1).fit(X, sensitive_features=sex == "M")
        np.testing.assert_array_equal(numbers.labels_, labels)

    def test_intersections_and_cuts(self):
        X, sex = people()
        age = np.linspace(20, 70, len(X))
        model = FairKMeans(2, protect=["sex*age:40"], random_state=1)
        model.fit(X, sensitive_features={"sex": sex, "age": age})
        self.assertEqual(len(model.result_["groups"]["sex*age"]), 4)

    def test_a_feature_may_be_named_like_a_group(self):
        if not pandas:
            self.skipTest("needs pandas")
        X, sex = people()
        frame = pandas.DataFrame(X, columns=["sex", "y", "sample_weight"])
        model = FairKMeans(2, random_state=1).fit(frame, sensitive_features=pandas.Series(sex, name="sex"))
        self.assertEqual(model.predict(frame).shape, (len(X),))

    def test_a_report_is_of_the_people_that_were_fitted(self):
        X, sex = people()
        model = FairKMeans(3, random_state=1).fit(X, sensitive_features=sex)
        labels = model.labels_.copy()
        for others, groups in [(X[:100], sex[:100]), (X + 1, sex[::-1])]:
            with self.assertRaisesRegex(ValueError, "not those of the fit"):
                model.report(others, sensitive_features=groups)
            np.testing.assert_array_equal(model.labels_, labels)
        y = X[:, 1] > 0
        classifier = FairClassifier(random_state=1).fit(X, y, sensitive_features=sex)
        before = classifier.model_
        with self.assertRaisesRegex(ValueError, "not those of the fit"):
            classifier.report(X[:100], y[:100], sensitive_features=sex[:100])
        self.assertEqual(classifier.model_, before)

    def test_negative_jobs_are_all_cores(self):
        X, sex = people()
        labels = FairKMeans(3, random_state=1).fit(X, sensitive_features=sex).labels_
        for jobs in (-1, -2, 1):
            model = FairKMeans(3, random_state=1, n_jobs=jobs).fit(X, sensitive_features=sex)
            np.testing.assert_array_equal(model.labels_, labels)
            self.assertEqual(model.get_params()["n_jobs"], jobs)
        with self.assertRaisesRegex(MoietyError, "^n_jobs is 0: "):
            FairKMeans(3, n_jobs=0).fit(X)

    def test_pipelines_and_pickles(self):
        X, sex = people()
        pipeline = make_pipeline(StandardScaler(), FairKMeans(3, random_state=1))
        pipeline.fit(X, fairkmeans__sensitive_features=sex)
        again = pickle.loads(pickle.dumps(pipeline))
        np.testing.assert_array_equal(again.predict(X), pipeline.predict(X))
        self.assertEqual(str(again[-1].result_), str(pipeline[-1].result_))

    def test_reports_show_themselves(self):
        X, sex = people()
        model = FairKMeans(3, random_state=None).fit(X, sensitive_features=sex)
        labels = model.labels_
        report = model.report(X, sensitive_features=sex)
        np.testing.assert_array_equal(model.labels_, labels)
        self.assertIn("<iframe", report._repr_html_())
        self.assertIn("<!doctype html", report.page.lower()[:20])
        self.assertIn("<pre", model.result_._repr_html_())
        self.assertIn("600 people in 3 clusters", str(model.result_))


class Classifiers(unittest.TestCase):
    def setUp(self):
        X, sex = people(2000)
        random = np.random.default_rng(1)
        self.X, self.sex = X, sex
        self.y = np.where(X[:, 0] + 2 * X[:, 1] + random.normal(size=len(X)) > 0, "yes", "no")

    def test_answers_differ_less_between_groups(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain = FairClassifier(None, algorithm="fedavg", random_state=1)
            plain.fit(self.X, self.y, sensitive_features=self.sex)
            fair = FairClassifier("dp", random_state=1).fit(self.X, self.y, sensitive_features=self.sex)
        self.assertLess(fair.result_["dpd"], plain.result_["dpd"] / 2)
        self.assertGreater(plain.score(self.X, self.y), 0.8)
        np.testing.assert_array_equal(fair.classes_, ["no", "yes"])
        likely = fair.predict_proba(self.X)[:, 1] > 0.5
        np.testing.assert_array_equal(fair.predict(self.X), np.where(likely, "yes", "no"))
        self.assertEqual(fair.result_["label"], {"negative": "no", "positive": "yes"})
        self.assertIn("<iframe", fair.report(self.X, self.y, sensitive_features=self.sex)._repr_html_())

    def test_several_attributes_are_measured_each_by_itself(self):
        groups = {"sex": self.sex, "half": np.where(np.arange(len(self.X)) % 2, "odd", "even")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = FairClassifier("dp", rounds=2, random_state=1).fit(self.X, self.y, sensitive_features=groups)
        self.assertIn("half odd", fitted.result_["perGroup"])

    def test_steps_and_prices_are_those_asked_for(self):
        def model(**asked):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return FairClassifier("dp", rounds=2, random_state=1, **asked).fit(self.X, self.y, sensitive_features=self.sex).model_

        self.assertEqual(model(), model(rate=0.05))
        self.assertEqual(len({model(), model(rate=0.01), model(beta=9), model(eta=9)}), 4)

    def test_groups_are_needed(self):
        with self.assertRaisesRegex(MoietyError, "fair to the groups of an attribute, and there is none"):
            FairClassifier().fit(self.X, self.y)

    def test_several_classes_in_the_order_of_sklearn(self) -> None:
        generator = np.random.default_rng(3)
        y = generator.choice([2, 9, 10], size=600)
        X = np.column_stack([(y == 2) * 3, (y == 10) * 3, np.zeros(600)]) + generator.normal(size=(600, 3))
        sex = generator.choice(["F", "M"], size=600)
        fair = FairClassifier(random_state=1, max_rounds=60).fit(X, y, sensitive_features=sex)
        np.testing.assert_array_equal(fair.classes_, [2, 9, 10])
        proba = fair.predict_proba(X)
        self.assertEqual(proba.shape, (600, 3))
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        np.testing.assert_array_equal(fair.classes_[proba.argmax(axis=1)], fair.predict(X))
        self.assertGreater(fair.score(X, y), 0.8)
        self.assertAlmostEqual(fair.score(X, y), fair.result_["accuracy"])


class Errors(unittest.TestCase):
    def test_sentences_name_parameters(self):
        X, sex = people()
        with self.assertRaisesRegex(MoietyError, "^n_clusters is 0: give a whole number"):
            FairKMeans(0).fit(X)
        with self.assertRaises(InfeasibleError) as raised:
            FairKMeans(3, max_size=10).fit(X)
        self.assertEqual(raised.exception.nearest, [{"max_size": 200}])
        self.assertEqual(raised.exception.code, "infeasible")
        self.assertIsInstance(pickle.loads(pickle.dumps(raised.exception)), InfeasibleError)
        with self.assertRaisesRegex(MoietyError, "missing"):
            FairKMeans(3).fit(X, sensitive_features=[None, *sex[1:].tolist()])
        with self.assertRaisesRegex(ValueError, "inconsistent numbers of samples"):
            FairKMeans(3).fit(X, sensitive_features=sex[1:])

    def test_advice_names_what_there_is_in_python(self):
        X, sex = people()
        sex = sex.astype(object)
        sex[:3] = None
        with self.assertRaises(MoietyError) as caught:
            FairKMeans(3).fit(X, sensitive_features=sex)
        self.assertIn("has 3 missing values", str(caught.exception))
        self.assertIn("leave those rows out", str(caught.exception))
        self.assertNotIn("missing=", str(caught.exception))

    def test_the_worker_goes_on_after_an_error(self):
        X, _ = people()
        FairKMeans(2).fit(X)
        process = _worker._worker.process
        with self.assertRaises(MoietyError):
            FairKMeans(0).fit(X)
        FairKMeans(2).fit(X)
        self.assertIs(_worker._worker.process, process)

    def test_a_worker_that_was_killed_is_replaced(self):
        X, _ = people()
        FairKMeans(2).fit(X)
        _worker._worker.process.kill()
        _worker._worker.process.wait()
        FairKMeans(2).fit(X)

    def test_a_node_that_is_not_there_is_said(self):
        program = "import numpy, moiety\ntry: moiety.FairKMeans(2).fit(numpy.eye(9))\nexcept moiety.WorkerError as error: print(error)"
        found = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "MOIETY_NODE": "no-such-node"}, capture_output=True, text=True
        )
        self.assertIn("MOIETY_NODE is 'no-such-node', and there is no such program", found.stdout)


class Processes(unittest.TestCase):
    def test_threads_share_one_worker(self):
        X, sex = people()
        labels = FairKMeans(4, random_state=1).fit(X, sensitive_features=sex).labels_
        found = []
        fit = lambda: found.append(FairKMeans(4, random_state=1).fit(X, sensitive_features=sex).labels_)
        threads = [threading.Thread(target=fit) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(len(found), 4)
        for each in found:
            np.testing.assert_array_equal(each, labels)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_process_has_a_worker_of_its_own(self):
        X, sex = people()
        labels = FairKMeans(4, random_state=1).fit(X, sensitive_features=sex).labels_
        process = _worker._worker.process
        receive, send = multiprocessing.Pipe(False)
        child = multiprocessing.get_context("fork").Process(target=fit_elsewhere, args=(send,))
        child.start()
        # Where the child fails there is nothing to wait for.
        send.close()
        begun_without, found = receive.recv()
        child.join()
        self.assertTrue(begun_without)
        np.testing.assert_array_equal(found, labels)
        FairKMeans(2).fit(X)
        self.assertIs(_worker._worker.process, process)

    @unittest.skipUnless(os.name == "posix", "needs signals")
    def test_an_interrupted_call_ends_its_worker(self):
        X, _ = people(20_000)
        FairKMeans(2).fit(X)
        process = _worker._worker.process
        # Whoever runs the tests in the background may have had it ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                FairKMeans(40, n_init=50, effort="best").fit(X)
        deadline = time.monotonic() + 600
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertIsNotNone(process.poll())
        FairKMeans(2).fit(X)

    def test_nothing_stays_behind(self):
        program = "import numpy, moiety\nmoiety.FairKMeans(2).fit(numpy.eye(9))\nprint(moiety._worker._worker.process.pid)"
        pid = int(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        with self.assertRaises(OSError):
            os.kill(pid, 0)


class Package(unittest.TestCase):
    def test_it_has_a_version(self):
        self.assertRegex(moiety.__version__, r"^\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
