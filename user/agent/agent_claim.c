// SPDX-License-Identifier: MIT
/*
 * Locks of open file descriptions on an agent's memory.
 */
#include "user/agent/agent_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "abi/agent_ring.h"

static struct flock lock_of(int byte)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

/* 0; -EAGAIN: another has it. */
static int take(int fd, int byte)
{
	struct flock lock = lock_of(byte);

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

static bool is_taken(int fd, int byte)
{
	struct flock lock = lock_of(byte);

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

int agent_claim__take(int fd, enum claim_rank rank)
{
	int err;

	if (rank == CLAIM_OF_NODE && agent_claim__is_asked_for(fd))
		return -EBUSY;
	err = rank == CLAIM_OF_PROCESS ? take(fd, RT_AGENT_CLAIM_FIRST) : 0;
	if (err)
		return err == -EAGAIN ? -EBUSY : err;
	err = take(fd, RT_AGENT_CLAIM);
	return err == -EAGAIN && rank == CLAIM_OF_NODE ? -EBUSY : err;
}

bool agent_claim__is_asked_for(int fd)
{
	return is_taken(fd, RT_AGENT_CLAIM_FIRST);
}

bool agent_claim__is_held(int fd)
{
	return is_taken(fd, RT_AGENT_CLAIM);
}

bool agent_claim__is_free(int fd, enum claim_rank rank)
{
	return !agent_claim__is_asked_for(fd) &&
	       (rank == CLAIM_OF_PROCESS || !agent_claim__is_held(fd));
}
