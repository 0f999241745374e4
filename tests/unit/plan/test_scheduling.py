from snakemake.scheduling.job_scheduler import JobScheduler

from xstitch.plan.scheduling import one_at_a_time


def test_a_look_is_scheduled_only_when_none_is_pending():
    now, scheduled = [100.0], []
    schedule = one_at_a_time(lambda delay: scheduled.append((now[0], delay)), lambda: now[0])
    for time in (100, 101, 109.9, 110, 111, 120):  # 110 and 120 are the scheduled looks themselves
        now[0] = float(time)
        schedule(10)
    assert scheduled == [(100, 10), (110, 10), (120, 10)]


def test_many_ended_jobs_do_not_add_looks():
    """Every scheduled look schedules the next: without a limit, each ended job would start another chain."""
    now, pending = [0.0], []
    schedule = one_at_a_time(lambda delay: pending.append(now[0] + delay), lambda: now[0])
    for second in range(1000):
        now[0] = float(second)
        schedule(10)
        assert len([look for look in pending if look > second]) == 1
    assert len(pending) == 100


def test_snakemakes_scheduler_has_what_the_rules_replace():
    """Its name is misspelt there and private: another version may change it."""
    assert callable(JobScheduler._schedule_reevalutation)
