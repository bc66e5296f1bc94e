"""The table of vectors that follows another is the one that is loaded anew."""

from pathlib import Path
from random import Random

from tests.edits import Editor
from tests.satchel import silent
from workspace.project import Project


def test_a_table_that_follows_another_is_the_one_loaded_anew(tmp_path: Path):
    project, random = Project.at(tmp_path, {"SATCHEL_INDEX_WORKERS": "1"}), Random(2)
    editor, table = Editor(tmp_path, 11), None
    for _ in range(12):
        for _ in range(random.randrange(1, 5)):
            editor.edit()
        project.refresh(silent)
        if random.random() < 0.8:  # now and then vectors are late
            project.build_vectors(lambda *_: None, lambda *_: None)
        with project.snapshot() as snapshot:
            table = project.vector_table(snapshot, table)
            anew = project.vector_table(snapshot)
        assert table.ids.tolist() == anew.ids.tolist()
        assert table.matrix.tobytes() == anew.matrix.tobytes()
        assert (table.n_chunks, table.places) == (anew.n_chunks, anew.places)
    assert len(table.ids) > 5
